"""The page of a run of ``mancala tune --play``."""

from __future__ import annotations

from html.parser import HTMLParser

from engine.evolution import Generation, Parameter, Place, Trial
from scripts.tune_page import page

PARAMETERS = (Parameter("tempo", -1.0, 1.0, 0.0, 1 / 64, Place.WEIGHTS),)


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
        """Open and close at once."""

    def handle_endtag(self, tag: str) -> None:
        """Close the last."""
        assert self.open.pop() == tag


def well_formed(text: str) -> None:
    """Check that every tag of a page is closed in its order."""
    tags = Tags()
    tags.feed(text)
    assert tags.open == []


def generation(number: int) -> Generation:
    """Make up a generation of two candidates and two openings."""
    trials = (Trial((0.5,), ((3, -1), (2, 8))), Trial((-0.25,), ((-3, -1), (0, 0))))
    return Generation(number, trials)


def test_a_page_can_be_read_from_the_first_generation_on() -> None:
    """One point is a picture, too; a browser that is left open looks again."""
    text = page("mancala tune --play <now>", PARAMETERS, [generation(0)], None)
    well_formed(text)
    assert "Generations so far: 1. mancala tune --play &lt;now&gt;" in text
    assert 'http-equiv="refresh"' in text
    assert "generation 0: +0.07" in text


def test_a_page_grows_with_the_generations() -> None:
    """Each course has a point a generation."""
    text = page("mancala tune --play", PARAMETERS, [generation(n) for n in range(5)], None)
    assert text.count("<polyline") == 2
    assert "tempo 4: 0.12 ± 0.38" in text
