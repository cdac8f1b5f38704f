"""The page's files, read once at start. No build step, nothing fetched from another host.

Their addresses hold a version, a hash of them all, so a browser keeps them until one changes, and
opening a page takes one request. A module names the modules that it imports, so they can be [put
together](packs.py), and the page's HTML asks for all in advance. Comments are a sixth of what
crosses the network, so browsers get the modules and styles without them, line for line.
"""

import re
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path  # noqa: TID251  # the files of this package, read once at start
from typing import Final, NamedTuple

MEDIA_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
IMPORTED: Final = re.compile(rb'^(?:import|export)\b[^;(]*?"\./([a-z_]+\.js)"', re.MULTILINE)
LATER: Final = re.compile(rb'(?<!\{)\bimport\("\./([a-z_]+\.js)"\)')
"""A module that is loaded once a page has shown what matters most."""
COMMENT: Final = re.compile(
    rb"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)[ \t]*$", re.MULTILINE | re.DOTALL
)
"""A comment that has its lines to itself."""
READ: Final = "client.js"
"""What authors of bots take with them, and read."""


class File(NamedTuple):
    """A file of the page, and the type that the browser gets."""

    body: bytes
    media_type: str


def files() -> dict[str, File]:
    here = Path(__file__).parent
    return {
        path.name: File(path.read_bytes(), MEDIA_TYPES[path.suffix])
        for path in sorted(here.iterdir())
        if path.suffix in MEDIA_TYPES
    }


def sent(name: str, file: File) -> bytes:
    """Return what a browser gets of a file: no comments, but as many lines, so errors name them.

    A file that people read is sent whole.
    """
    if name == READ or not name.endswith((".js", ".css")):
        return file.body
    return bare(file.body)


def bare(text: bytes) -> bytes:
    """Return a module or styles without comments, but with as many lines."""
    return COMMENT.sub(lambda found: b"\n" * found[0].count(b"\n"), text)


def version_of(found: Mapping[str, File]) -> str:
    """Return a hash of files and their names."""
    digest = blake2b(digest_size=8)
    for name, file in found.items():
        digest.update(b"%b %d\n%b" % (name.encode(), len(file.body), file.body))
    return digest.hexdigest()


def modules_of(found: Mapping[str, File], *names: str, with_later: bool = False) -> list[str]:
    """Return modules and all that they import, each once, or also all that is loaded later."""
    reached = dict.fromkeys(names)
    waiting = list(names)
    while waiting:
        body = found[waiting.pop()].body
        named = [*imports_of(body), *(later_of(body) if with_later else ())]
        new = [name for name in named if name not in reached]
        reached.update(dict.fromkeys(new))
        waiting += new
    return list(reached)


def sheets_of(found: Mapping[str, File], module: str) -> list[str]:
    """Return the styles that only the pages of a module have: they are named as it is."""
    name = f"{module.removesuffix('.js')}.css"
    return [name] if name in found else []


@cache
def imports_of(script: bytes) -> list[str]:
    """Return the modules that a module imports before it runs."""
    return [name.decode() for name in IMPORTED.findall(script)]


@cache
def later_of(script: bytes) -> list[str]:
    """Return the modules that a module loads once it runs."""
    return [name.decode() for name in LATER.findall(bare(script))]
