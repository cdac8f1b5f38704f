"""The page: files for a browser, read once at start. No build step, nothing fetched from afar."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

MEDIA_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class File(NamedTuple):
    """A file of the page.

    Attributes:
        body: what is in it.
        media_type: what it is.
    """

    body: bytes
    media_type: str


def files() -> dict[str, File]:
    """Read the page's files, by name."""
    here = Path(__file__).parent
    return {
        path.name: File(path.read_bytes(), MEDIA_TYPES[path.suffix])
        for path in sorted(here.iterdir())
        if path.suffix in MEDIA_TYPES
    }
