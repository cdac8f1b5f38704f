"""The addresses of a game's text and pictures; who asks pays for what is drawn.

Pictures are drawn in a thread, one at a time, since drawing holds memory as well as a core; so
pages come before pictures.
"""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mancala.protocol import codec
from mancala.protocol.record import GameRecord, to_text
from mancala.protocol.results import Contestant
from mancala.protocol.rules import Board, Rules

from ...model.schemas.analysis import DailyPuzzle
from ...net.limits.costs import HTTP_FILM, HTTP_FRAME, HTTP_GIF, HTTP_PNG, HTTP_STILL
from ..api.answers import Answers
from ..feed.kept_answers import Latest
from ..http.responses import (
    BadRequestError,
    Body,
    NotFoundError,
    NotReviewedError,
    readable_elsewhere,
)
from ..languages import Catalogue, language_of
from .captions import Caption, caption_of, losing_move
from .pictures import MOST_FRAMES, board_picture, game_picture
from .shell import PUZZLE, PUZZLE_TITLE, RECORD, REVIEW, Shell

TEXT: Final = "text/plain; charset=utf-8"
SVG: Final = "image/svg+xml"
PNG: Final = "image/png"
LAST: Final = "last"
"""The query parameter that asks for no more than the last N moves of a game."""
WHOLE: Final = re.compile(r"[1-9][0-9]{0,3}")
KEPT_BYTES: Final = 16 * 1024 * 1024
"""Of moving pictures."""


def picture_routes(answers: Answers, shell: Shell) -> list[Route]:
    """Return the routes of a game's text and pictures, with the words and the name of a shell."""
    pictures = _Pictures(answers, shell)
    return [
        Route(f"{RECORD}.txt", pictures.text),
        Route(f"{RECORD}.svg", pictures.animation),
        Route(f"{RECORD}.gif", pictures.gif),
        Route(f"{RECORD}/{{ply:ply}}.svg", pictures.still),
        Route(f"{RECORD}/{{ply:ply}}.png", pictures.png),
        Route(f"{PUZZLE}.svg", pictures.still),
        Route(f"{PUZZLE}.png", pictures.png),
    ]


class Subject(NamedTuple):
    """What is drawn."""

    record: GameRecord
    caption: Caption


class _Pictures:
    def __init__(self, answers: Answers, shell: Shell) -> None:
        self._answers = answers
        self._shell = shell
        self._gifs: Latest[Body] = Latest(KEPT_BYTES, lambda gif: len(gif.plain))
        # Of the process's own priority: the renderer holds the interpreter while it draws.
        self._thread = ThreadPoolExecutor(1, "drawing")

    async def text(self, request: Request) -> Response:
        return Body(to_text(await self._record(request)).encode(), TEXT).respond(request)

    async def still(self, request: Request) -> Response:
        subject, ply = await self._position(request)
        draw = partial(_still, ply=ply)
        return _svg(request, await self._drawn(request, subject, SVG, HTTP_STILL, draw))

    async def animation(self, request: Request) -> Response:
        subject = await self._game(request)
        record = subject.record
        price = HTTP_FILM * (1 + len(record.moves)) * record.rules.pits
        return _svg(request, await self._drawn(request, subject, SVG, price, _film))

    async def png(self, request: Request) -> Response:
        subject, ply = await self._position(request)
        draw = partial(_png, ply=ply)
        return _readable(request, await self._drawn(request, subject, PNG, HTTP_PNG, draw))

    async def gif(self, request: Request) -> Response:
        """Return a game, or its last N moves, as GIF; the latest of finished games are kept."""
        subject = await self._game(request)
        record, last = subject.record, _last(request, subject.record)
        key = _key(request, subject, last)
        body = self._gifs.get(key)
        if body is None:
            frames = min(MOST_FRAMES, 1 + (len(record.moves) if last is None else last))
            price = HTTP_GIF + HTTP_FRAME * frames * record.rules.pits
            draw = partial(_gif, last=last)
            body = await self._drawn(request, subject, "image/gif", price, draw, key)
            if record.result is not None:
                self._gifs.keep(key, body)
        return _readable(request, body)

    async def _puzzle(self, request: Request) -> Subject:
        """Return the position of a puzzle as a game that begins there."""
        named = {"day": request.path_params["day"]}
        body = await self._answers.at(PUZZLE, named, {}, request.scope)
        puzzle = codec.from_json(body.plain, DailyPuzzle).puzzle
        board = Board.from_text(puzzle.board, Rules.parse(puzzle.rules))
        one, two = Contestant("South"), Contestant("North")
        title = self._words(request).text(PUZZLE_TITLE, **named)
        caption = Caption(title, (one.name, two.name), title, "", self._shell.server_name())
        return Subject(GameRecord(puzzle.game, board.rules, (one, two), board.state, ()), caption)

    async def _position(self, request: Request) -> tuple[Subject, int]:
        """Return a game and the place of one of its positions, or a puzzle and 0."""
        if "day" in request.path_params:
            return await self._puzzle(request), 0
        ply = request.path_params["ply"]
        subject = await self._game(request, ply)
        if ply > len(subject.record.moves):
            raise NotFoundError(f"the game has no position {ply}")
        return subject, ply

    async def _game(self, request: Request, ply: int = 0) -> Subject:
        record = await self._record(request)
        named = {"game": record.game}
        try:
            review = (await self._answers.at(REVIEW, named, {}, request.scope)).plain
        except (NotFoundError, NotReviewedError):
            review = None
        words, server = self._words(request), self._shell.server_name()
        return Subject(record, caption_of(record, losing_move(review), words, server, ply))

    async def _record(self, request: Request) -> GameRecord:
        named = {"game": request.path_params["game"]}
        body = await self._answers.at(RECORD, named, {}, request.scope)
        return codec.from_json(body.plain, GameRecord)

    def _words(self, request: Request) -> Catalogue:
        return self._shell.words(language_of(request))

    async def _drawn(
        self,
        request: Request,
        subject: Subject,
        media_type: str,
        price: float,
        draw: Callable[[Subject], bytes],
        key: str = "",
    ) -> Body:
        async def act() -> Body:
            drawing = asyncio.get_running_loop().run_in_executor(self._thread, draw, subject)
            return Body(await drawing, media_type)

        return await self._answers.drawn(request.scope, price, key or _key(request, subject), act)


def _key(request: Request, subject: Subject, last: int | None = None) -> str:
    """Return what tells a picture from all others: its address, how much of it, its caption."""
    return f"{request.scope['path']} {last} {subject.caption}"


def _last(request: Request, record: GameRecord) -> int | None:
    """Return how many moves of the end are asked for; None for all that there are."""
    text = request.query_params.get(LAST)
    if text is None:
        return None
    if not WHOLE.fullmatch(text):
        raise BadRequestError(f"{LAST}: must be a number of moves from 1 to 9999")
    last = int(text)
    return last if last < len(record.moves) else None


def _still(subject: Subject, ply: int) -> bytes:
    return board_picture(subject.record, ply, subject.caption).encode()


def _film(subject: Subject) -> bytes:
    return game_picture(*subject).encode()


def _png(subject: Subject, ply: int) -> bytes:
    from .raster import position_png  # noqa: PLC0415  # Pillow, a tenth of this process's start

    return position_png(subject.record, ply, subject.caption)


def _gif(subject: Subject, last: int | None) -> bytes:
    from .raster import game_gif  # noqa: PLC0415  # as above: Pillow is slow to load

    return game_gif(*subject, last)


def _svg(request: Request, drawn: Body) -> Response:
    response = _readable(request, drawn)
    response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    return response


def _readable(request: Request, drawn: Body) -> Response:
    response = readable_elsewhere(drawn.respond(request))
    response.headers["Vary"] += ", Accept-Language, Cookie"
    return response
