"""What every page that a command writes is held to."""

from __future__ import annotations

from html.parser import HTMLParser


class Tags(HTMLParser):
    """Counts what is open, so that unbalanced tags are found."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a tag; some never close."""
        del attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open and close immediately."""

    def handle_endtag(self, tag: str) -> None:
        """Close the last."""
        assert self.open.pop() == tag


def well_formed(page: str) -> None:
    """Check that every tag of a page is closed in its order."""
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
