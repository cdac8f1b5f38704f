"""The rendered documentation under ``/docs``, read once at start.

A request looks a name up among the files that were read, so no path leads out of the folder, and
no request touches the disk. The pages keep their scripts and styles partly inline; each page's
Content-Security-Policy allows exactly the scripts that were in it (CSP level 3, section 2.3.1).

An installed server has no rendered documentation. There ``/docs`` leads to what the package holds:
the protocol, and the documents for programs.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path  # noqa: TID251  # the caller names the folder, read once at start
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from mancala import protocol

from ..http.responses import Body, NotFoundError
from ..languages import language_of
from ..static import MEDIA_TYPES as PAGE_TYPES
from .shell import HTML, Shell

ROOT: Final = "/docs"
INDEX: Final = "index.html"
MEDIA_TYPES: Final = {
    **PAGE_TYPES,
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
}
SPEC: Final = "protocol.md"
PACKAGED: Final = f"""\
<h1>[[Documentation]]</h1>
      <div class="card"><ul class="rules">
        <li><a href="/take-part">[[Take part: how a bot connects, each ladder's terms]]</a></li>
        <li><a href="{ROOT}/{SPEC}">[[The protocol: every message, its fields, dialogues]]</a></li>
        <li><a href="/api/v1/openapi.json">[[The HTTP API (OpenAPI), for programs]]</a></li>
        <li><a href="/api/v1/asyncapi.json">[[The messages (AsyncAPI), for programs]]</a></li>
      </ul></div>
      <p class="note">[[The manual itself is not on this server. Its organiser can render it with \
“make docs” in a checkout, and name the folder in the setting “docs”.]]</p>
      """
INLINE_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


class Document(NamedTuple):
    """A file of the documentation, with its Content-Security-Policy."""

    body: Body
    policy: str


def documents(folder: Path) -> dict[str, Document]:
    """Return the files in and below a folder by their relative paths; none if it is missing."""
    root = folder.resolve()
    return {
        path.relative_to(root).as_posix(): _read(path)
        for path in sorted(root.rglob("*"))
        if path.suffix in MEDIA_TYPES and path.is_file() and path.resolve().is_relative_to(root)
    }


def documentation_routes(folder: Path) -> list[Route]:
    found = documents(folder)
    if INDEX not in found:
        return []

    async def enter(_request: Request) -> Response:
        return RedirectResponse("docs/")

    async def send(request: Request) -> Response:
        name = request.path_params["name"] or INDEX
        if name not in found:
            raise NotFoundError(f"the documentation has no file {name}")
        response = found[name].body.respond(request)
        response.headers["Content-Security-Policy"] = found[name].policy
        return response

    return [Route(ROOT, enter), Route(f"{ROOT}/{{name:path}}", send)]


def packaged_routes(shell: Shell) -> list[Route]:
    """Return the routes of what the package holds, for a server without rendered documentation."""
    folder = Path(protocol.__file__).parent
    spec = Body((folder / "SPEC.md").read_bytes(), MEDIA_TYPES[".txt"])

    async def enter(_request: Request) -> Response:
        return RedirectResponse("docs/")

    async def index(request: Request) -> Response:
        language = language_of(request)
        content = shell.words(language).html(PACKAGED)
        page = shell.text("Documentation", content, language)
        return Body(page, HTML).respond(request)

    async def send(request: Request) -> Response:
        return spec.respond(request)

    return [Route(ROOT, enter), Route(f"{ROOT}/", index), Route(f"{ROOT}/{SPEC}", send)]


def _read(path: Path) -> Document:
    body = path.read_bytes()
    hashes = (sha256(script).digest() for script in INLINE_SCRIPT.findall(body))
    scripts = "".join(f" 'sha256-{b64encode(each).decode()}'" for each in hashes)
    return Document(
        Body(body, MEDIA_TYPES[path.suffix]),
        f"default-src 'none'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'",
    )
