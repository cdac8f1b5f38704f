"""The rendered documentation under ``/docs``, read once at start.

A request looks a name up among the files that were read, so no path leads out of the folder, and
no request touches the disk. The pages keep their scripts and styles partly inline; each page's
Content-Security-Policy allows exactly the scripts that were in it (CSP level 3, section 2.3.1).
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path  # noqa: TID251  # the caller names the folder, read once at start
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from server.web.responses import Body, NotFoundError
from server.web.static import MEDIA_TYPES as PAGE_TYPES

ROOT: Final = "/docs"
INDEX: Final = "index.html"
MEDIA_TYPES: Final = {**PAGE_TYPES, ".png": "image/png"}
INLINE_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


class Document(NamedTuple):
    """A file of the documentation.

    Attributes:
        body: its content.
        media_type: the type that the browser gets.
        policy: its Content-Security-Policy.
    """

    body: bytes
    media_type: str
    policy: str


def documents(folder: Path) -> dict[str, Document]:
    """Return the files of a folder and those below by their relative paths; none if it is missing.

    Files of other types than pages need are left out, and so is a link that leads elsewhere.
    """
    root = folder.resolve()
    return {
        path.relative_to(root).as_posix(): _read(path)
        for path in sorted(root.rglob("*"))
        if path.suffix in MEDIA_TYPES and path.is_file() and path.resolve().is_relative_to(root)
    }


def documentation_routes(folder: Path) -> list[Route]:
    """Return the routes that serve a folder of documentation; none when it holds no page."""
    found = documents(folder)
    if INDEX not in found:
        return []

    bodies = {name: Body(each.body, each.media_type) for name, each in found.items()}

    async def enter(_request: Request) -> Response:
        return RedirectResponse("docs/")

    async def send(request: Request) -> Response:
        name = request.path_params["name"] or INDEX
        if name not in found:
            raise NotFoundError(f"the documentation has no file {name}")
        document = found[name]
        response = bodies[name].respond(request)
        response.headers["Content-Security-Policy"] = document.policy
        return response

    return [Route(ROOT, enter), Route(f"{ROOT}/{{name:path}}", send)]


def _read(path: Path) -> Document:
    body = path.read_bytes()
    scripts = "".join(f" {_source(each)}" for each in INLINE_SCRIPT.findall(body))
    return Document(
        body,
        MEDIA_TYPES[path.suffix],
        f"default-src 'none'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'",
    )


def _source(script: bytes) -> str:
    return f"'sha256-{b64encode(sha256(script).digest()).decode()}'"
