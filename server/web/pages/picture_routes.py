"""The addresses of a game's text and pictures; who asks pays for what is drawn.

Pixels are drawn in a thread, one picture at a time, since drawing holds memory as well as a core.
"""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec
from mancala.protocol.record import GameRecord, to_text

from ...net.limits.costs import HTTP_FILM, HTTP_GIF, HTTP_PNG
from ..api.answers import Answers
from ..feed.kept_answers import Latest
from ..http.responses import Body, NotFoundError, readable_elsewhere
from .pictures import board_picture, game_picture
from .shell import RECORD

TEXT: Final = "text/plain; charset=utf-8"
SVG: Final = "image/svg+xml"
KEPT_GIFS: Final = 16
"""Ten megabytes at the most."""


def picture_routes(answers: Answers) -> list[Route]:
    """Return the routes of a game's text and pictures."""
    pictures = _Pictures(answers)
    return [
        Route(f"{RECORD}.txt", pictures.text),
        Route(f"{RECORD}.svg", pictures.animation),
        Route(f"{RECORD}.gif", pictures.gif),
        Route(f"{RECORD}/{{ply:ply}}.svg", pictures.still),
        Route(f"{RECORD}/{{ply:ply}}.png", pictures.png),
    ]


class _Pictures:
    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._gifs: Latest[Body] = Latest(KEPT_GIFS)
        self._drawing = asyncio.Lock()

    async def text(self, request: Request) -> Response:
        """Return a record as text."""
        return Body(to_text(await self._record(request)).encode(), TEXT).respond(request)

    async def still(self, request: Request) -> Response:
        """Return a position as SVG."""
        ply = request.path_params["ply"]
        try:
            drawn = board_picture(await self._record(request), ply)
        except IndexError:
            raise _no_position(ply) from None
        return _svg(request, drawn)

    async def animation(self, request: Request) -> Response:
        """Return a game as an animated SVG."""
        record = await self._record(request)
        await self._answers.pay(request.scope, HTTP_FILM)
        return _svg(request, await asyncio.to_thread(game_picture, record))

    async def png(self, request: Request) -> Response:
        """Return a position as PNG."""
        record, ply = await self._record(request), request.path_params["ply"]
        if ply > len(record.moves):
            raise _no_position(ply)
        await self._answers.pay(request.scope, HTTP_PNG)
        async with self._drawing:
            drawn = await asyncio.to_thread(_png, record, ply)
        return readable_elsewhere(Body(drawn, "image/png").respond(request))

    async def gif(self, request: Request) -> Response:
        """Return a game as GIF; those of the latest finished games are kept."""
        record = await self._record(request)
        body = self._gifs.get(record.game)
        if body is None:
            await self._answers.pay(request.scope, HTTP_GIF)
            body = await self._drawn_gif(record)
        return readable_elsewhere(body.respond(request))

    async def _record(self, request: Request) -> GameRecord:
        named = {"game": request.path_params["game"]}
        body = await self._answers.at(RECORD, named, {}, request.scope)
        return codec.from_json(body.plain, GameRecord)

    async def _drawn_gif(self, record: GameRecord) -> Body:
        """Draw a GIF, unless another request has drawn it while this one waited."""
        async with self._drawing:
            body = self._gifs.get(record.game)
            if body is None:
                body = Body(await asyncio.to_thread(_gif, record), "image/gif")
                if record.result is not None:
                    self._gifs.keep(record.game, body)
        return body


def _png(record: GameRecord, ply: int) -> bytes:
    from .raster import position_png  # noqa: PLC0415  # Pillow, a tenth of this process's start

    return position_png(record, ply)


def _gif(record: GameRecord) -> bytes:
    from .raster import game_gif  # noqa: PLC0415  # as above: Pillow is slow to load

    return game_gif(record)


def _no_position(ply: int) -> NotFoundError:
    return NotFoundError(f"the game has no position {ply}")


def _svg(request: Request, drawn: str) -> Response:
    response = readable_elsewhere(Body(drawn.encode(), SVG).respond(request))
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
