"""Links of the repository's documents, when they become pages."""

from __future__ import annotations

import os.path
import re
from pathlib import Path
from typing import Final

PAGES: Final = {
    "README.md": "tour.md",
    "CHANGELOG.md": "changelog.md",
    "engine/STRENGTH.md": "strength.md",
    "protocol/SPEC.md": "protocol.md",
}
"""The documents that are pages."""

LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def to_pages(text: str, document: Path) -> str:
    """Return a document with its links leading to pages.

    A link to a document that is a page leads there. A link to any other file of the repository
    becomes its text, since the rendered documentation holds no source. Links to other sites and
    within the document stay.

    Args:
        text: the document, in Markdown.
        document: its path in the repository.
    """

    def page(link: re.Match[str]) -> str:
        title, target, anchor = link.groups(default="")
        if "://" in target:
            return link[0]
        path = os.path.normpath(document.parent / target)
        if path in PAGES:
            return f"[{title}]({PAGES[path]}{anchor})"
        if path.startswith("docs/"):
            return f"[{title}]({path.removeprefix('docs/')}{anchor})"
        return f"`{title.strip('`')}`"

    return LINK.sub(page, text)
