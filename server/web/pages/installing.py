"""The page as an application: its manifest, and the worker that keeps what it has shown.

Source: W3C, "Web Application Manifest". A worker acts on the addresses at and below its own, so it
stands at the root, and its address has no version: a browser compares it on each visit.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec

from ..http.responses import Body
from .shell import ROOT, Shell

MANIFEST: Final = "application/manifest+json"
WORKER: Final = "worker.js"
ICON: Final = "icon.svg"
GROUND: Final = "#f7f4ef"
WOOD: Final = "#8a5a33"


def installing_routes(shell: Shell) -> list[Route]:
    """Return the routes of the manifest and the worker."""

    async def manifest(request: Request) -> Response:
        return Body(manifest_of(shell.server_name(), shell.version), MANIFEST).respond(request)

    async def worker(request: Request) -> Response:
        return shell.files[WORKER].respond(request)

    return [Route("/manifest.webmanifest", manifest), Route(f"/{WORKER}", worker)]


def manifest_of(name: str, version: str) -> bytes:
    """Return the manifest of a server's page; the version is that of its files."""
    icon = {"src": f"{ROOT}/{version}/{ICON}", "type": "image/svg+xml", "sizes": "any"}
    return codec.to_json(
        {
            "name": name,
            "short_name": name[:12],
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": GROUND,
            "theme_color": WOOD,
            "icons": [icon],
            "shortcuts": [
                {"name": "Play", "url": "/play"},
                {"name": "Analysis", "url": "/analysis"},
                {"name": "Puzzles", "url": "/puzzles"},
            ],
        }
    )
