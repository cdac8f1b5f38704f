"""The addresses of a game's text and pictures; who asks pays for what is drawn.

Pictures are drawn in a thread of low priority, one at a time, since drawing holds memory as well as
a core; so pages come before pictures.
"""

from __future__ import annotations

import asyncio
import os  # noqa: TID251  # the priority of a thread
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec
from mancala.protocol.record import GameRecord, to_text
from mancala.protocol.results import Contestant
from mancala.protocol.rules import Board, Rules

from ...model.schemas.analysis import DailyPuzzle
from ...net.limits.costs import HTTP_FILM, HTTP_GIF, HTTP_PNG
from ..api.answers import Answers
from ..feed.kept_answers import Latest
from ..http.responses import Body, NotFoundError, readable_elsewhere
from .pictures import board_picture, game_picture
from .shell import PUZZLE, RECORD

TEXT: Final = "text/plain; charset=utf-8"
SVG: Final = "image/svg+xml"
PNG: Final = "image/png"
NICENESS: Final = 10
"""Of the thread that draws, besides that of the process."""
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
        Route(f"{PUZZLE}.svg", pictures.puzzle_still),
        Route(f"{PUZZLE}.png", pictures.puzzle_png),
    ]


class _Pictures:
    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._gifs: Latest[Body] = Latest(KEPT_GIFS)
        self._thread = ThreadPoolExecutor(1, "drawing", initializer=_give_way)

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
        return _svg(request, Body(drawn.encode(), SVG))

    async def animation(self, request: Request) -> Response:
        """Return a game as an animated SVG."""
        record = await self._record(request)
        price = HTTP_FILM * max(1, len(record.moves)) * record.rules.pits
        return _svg(request, await self._drawn(request, record, SVG, price, _film))

    async def png(self, request: Request) -> Response:
        """Return a position as PNG."""
        record, ply = await self._record(request), request.path_params["ply"]
        if ply > len(record.moves):
            raise _no_position(ply)
        draw = partial(_png, ply=ply)
        body = await self._drawn(request, record, PNG, HTTP_PNG, draw)
        return readable_elsewhere(body.respond(request))

    async def gif(self, request: Request) -> Response:
        """Return a game as GIF; those of the latest finished games are kept."""
        record = await self._record(request)
        body = self._gifs.get(record.game)
        if body is None:
            body = await self._drawn(request, record, "image/gif", HTTP_GIF, _gif)
            if record.result is not None:
                self._gifs.keep(record.game, body)
        return readable_elsewhere(body.respond(request))

    async def puzzle_still(self, request: Request) -> Response:
        """Return the puzzle of a day as SVG."""
        drawn = board_picture(await self._puzzle(request), 0)
        return _svg(request, Body(drawn.encode(), SVG))

    async def puzzle_png(self, request: Request) -> Response:
        """Return the puzzle of a day as PNG."""
        draw = partial(_png, ply=0)
        drawn = self._drawn(request, await self._puzzle(request), PNG, HTTP_PNG, draw)
        return readable_elsewhere((await drawn).respond(request))

    async def _puzzle(self, request: Request) -> GameRecord:
        """Return the position of a puzzle as a game that begins there."""
        named = {"day": request.path_params["day"]}
        body = await self._answers.at(PUZZLE, named, {}, request.scope)
        puzzle = codec.from_json(body.plain, DailyPuzzle).puzzle
        board = Board.from_text(puzzle.board, Rules.parse(puzzle.rules))
        players = Contestant("South"), Contestant("North")
        return GameRecord(puzzle.game, board.rules, players, board.state, ())

    async def _record(self, request: Request) -> GameRecord:
        named = {"game": request.path_params["game"]}
        body = await self._answers.at(RECORD, named, {}, request.scope)
        return codec.from_json(body.plain, GameRecord)

    async def _drawn(
        self,
        request: Request,
        record: GameRecord,
        media_type: str,
        price: float,
        draw: Callable[[GameRecord], bytes],
    ) -> Body:
        async def act() -> Body:
            drawing = asyncio.get_running_loop().run_in_executor(self._thread, draw, record)
            return Body(await drawing, media_type)

        return await self._answers.drawn(request.scope, price, act)


def _give_way() -> None:
    """Lower the priority of this thread."""
    if sys.platform == "linux":  # elsewhere it is that of the process
        os.nice(NICENESS)


def _film(record: GameRecord) -> bytes:
    return game_picture(record).encode()


def _png(record: GameRecord, ply: int) -> bytes:
    from .raster import position_png  # noqa: PLC0415  # Pillow, a tenth of this process's start

    return position_png(record, ply)


def _gif(record: GameRecord) -> bytes:
    from .raster import game_gif  # noqa: PLC0415  # as above: Pillow is slow to load

    return game_gif(record)


def _no_position(ply: int) -> NotFoundError:
    return NotFoundError(f"the game has no position {ply}")


def _svg(request: Request, drawn: Body) -> Response:
    response = readable_elsewhere(drawn.respond(request))
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response
