"""The tools of the MCP server: list opponents, start a game, see the board, play, read the review.

Whatever speaks the Model Context Protocol plays with them as a bot of its own, with the seat, the
clock and the rules of any other.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

import httpx
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import Middleware
from msgspec import convert, to_builtins
from pydantic import Field
from pydantic import ValidationError as WrongValueError

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Agent, Challenge, Reason, Seek
from mancala.protocol.review import GameReview, mistake_sentence, sentence
from mancala.protocol.rules import InvalidPositionError, Rules

from ..client.bot import GameResult
from ..client.errors import ClientError
from ..client.proxies import own_transport
from ..client.requests import list_bots, list_ladders
from ..players.models.contracts import ARENA
from .seat import Engagement

INSTRUCTIONS: Final = """\
Play Kalah, a mancala game, on a match server. Call list_opponents, then start_game. While it is
your turn the clock runs: read the position that each answer holds, and call play. Each call of
play, start_game or wait returns when it is your turn again, or when the game is over; if it says
"waiting", call wait. After a game, review tells which moves lost seeds.
"""
TURN_LIMIT_S: Final = 45.0
"""Seconds that a call waits for the next turn; clients give up a call after a minute."""
READS: Final = {"readOnlyHint": True, "openWorldHint": True}
PLAYS: Final = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": True}
GIVES_UP: Final = {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True}
"""What clients may ask a person about before they call a tool."""
PAGE_LIMIT_S: Final = 30.0
MOST_LISTED: Final = 50
LONGEST_STEM: Final = 42
"""Characters of a name that leave room for what marks a visitor."""

GameId = Annotated[str | None, Field(description="The game; needed only if several are running.")]


@dataclass(frozen=True, slots=True)
class Destination:
    """Where and as whom to play: a match server, its page (``http://…``) if known, and a bot."""

    url: str
    page: str | None
    name: str
    token: str | None
    agent: Agent


@dataclass(frozen=True, slots=True)
class EndedGame:
    """A game that ended.

    Attributes:
        game: its id, for review.
        opponent: the other bot.
        result: what it was for you; ``void`` if it does not count.
        stores: your seeds and the opponent's.
        reason: why it ended.
    """

    game: str
    opponent: str
    result: Literal["win", "draw", "loss", "void"]
    stores: tuple[int, int]
    reason: str


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand.

    Attributes:
        status: ``your_turn``: call play; ``waiting``: call wait; ``idle``: call start_game.
        game: the game in which it is your turn.
        opponent: its other bot.
        position: the position in words, pits numbered from 0 in your sowing direction; at the first
            turn of a game, and for ``board``, with the rules.
        legal: the pits that you may sow.
        seconds_left: the time until your flag falls.
        ended: the games of this series that are over.
        error: why the series ended, if not as planned.
    """

    status: Literal["your_turn", "waiting", "idle"]
    game: str | None = None
    opponent: str | None = None
    position: str | None = None
    legal: tuple[int, ...] = ()
    seconds_left: float | None = None
    ended: tuple[EndedGame, ...] = ()
    error: str | None = None


class _PlainErrors(Middleware):
    """Says what is wrong with a call's arguments, not how another library calls it."""

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:  # noqa: ANN401  # fastmcp's
        """Call a tool; arguments that it does not take are an error of the tool."""
        try:
            return await call_next(context)
        except ValidationError as error:
            cause = error.__cause__
            if not isinstance(cause, WrongValueError):
                raise
            wrong = (f"{'.'.join(map(str, it['loc']))}: {it['msg']}" for it in cause.errors())
            raise ToolError("; ".join(wrong)) from None


class Tools:
    """The tools of one client, which plays one series of games at a time."""

    def __init__(self, place: Destination) -> None:
        self._place = place
        self._engagement: Engagement | None = None

    async def list_opponents(self) -> dict[str, Any]:
        """List the bots that are connected, the ladders' terms, and bots' records if known."""
        name, token = self._visitor()
        try:
            connected = await list_bots(self._place.url, name=name, token=token)
            ladders = await list_ladders(self._place.url, name=name, token=token)
        except ClientError as error:
            raise ToolError(str(error)) from None
        records: dict[str, Any] = {"bots": []}
        if self._place.page is not None:
            records = await self._fetch("bots", limit=MOST_LISTED)
        return {
            "you": self._place.name,
            "connected": [to_builtins(bot) for bot in connected[:MOST_LISTED]],
            "bots": records["bots"],
            "ladders": [to_builtins(ladder) for ladder in ladders],
        }

    async def start_game(  # the terms of a match
        self,
        opponent: Annotated[str | None, Field(description="Challenge this bot.")] = None,
        ladder: Annotated[
            str | None, Field(description="Join this ladder; it finds opponents and rates you.")
        ] = None,
        games: Annotated[int, Field(ge=1, le=100, description="Leave after this many.")] = 1,
        rules: Annotated[
            str | None, Field(description="Such as kalah:seeds=6; by default the server's.")
        ] = None,
        seconds_per_move: Annotated[float | None, Field(gt=0, le=86400)] = None,
        *,
        rated: Annotated[bool, Field(description="Ladders decide this themselves.")] = False,
    ) -> Status:
        """Start to play: against one bot, in a ladder, or with any bot that asks for a game."""
        if self._engagement is not None and not self._engagement.is_over:
            raise ToolError("a series of games is under way; call wait, or leave to end it")
        if opponent is not None and ladder is not None:
            raise ToolError("name an opponent or a ladder, not both")
        self._engagement = Engagement.begin(
            self._place.url,
            name=self._place.name,
            token=self._place.token,
            wanted=ladder or _match(opponent, games, rules, seconds_per_move, rated=rated),
            games=games,
            agent=self._place.agent,
        )
        return await self._next()

    async def board(self, game: GameId = None) -> Status:
        """Show the rules, and the position in which it is your turn."""
        return self._status(game, is_whole=True)

    async def legal_moves(self, game: GameId = None) -> list[int]:
        """List the pits that you may sow."""
        return list(self._playing().seat.question(game).turn.legal)

    async def play(self, pit: int, game: GameId = None) -> Status:
        """Sow a pit; return at your next turn or when the game is over."""
        self._playing().seat.answer(game, pit)
        return await self._next()

    async def wait(self) -> Status:
        """Wait for your next turn, or for the end of the games."""
        self._playing()
        return await self._next()

    async def resign(self, game: GameId = None, cause: str = "") -> Status:
        """Give up a game in which it is your turn; the cause is shown with its end."""
        self._playing().seat.resign(game, cause)
        return await self._next()

    async def leave(self) -> Status:
        """Start no further game; the running one goes on, and is yours to finish."""
        self._playing().leave()
        return await self._next()

    async def review(
        self,
        game: str,
        *,
        every_move: Annotated[
            bool, Field(description="Also what each move of each position was worth.")
        ] = False,
    ) -> dict[str, Any]:
        """Read the review of a game that ended: which moves lost seeds, and which one the game."""
        found = await self._fetch(f"games/{quote(game, safe='')}/review")
        review = convert(found, GameReview)
        turned = {change.ply for change in review.changes}
        told = [sentence(change) for change in review.changes]
        told += [
            mistake_sentence(ply) for ply in review.plies if ply.loss > 0 and ply.ply not in turned
        ]
        if review.losing is not None:
            lost = f"Player {review.losing.player} lost the game by {sentence(review.losing)}"
            told.insert(0, lost)
        kept = found if every_move else {key: found[key] for key in found if key != "plies"}
        return {"told": told or ["no move lost seeds"], **kept}

    async def close(self) -> None:
        """Resign what is running, and leave the server."""
        if self._engagement is not None:
            await self._engagement.close()

    def _visitor(self) -> tuple[str, str | None]:
        """Return the name and token to ask for lists with; a guest's, while the seat is in use."""
        if self._engagement is None or self._engagement.is_over:
            return self._place.name, self._place.token
        return f"{self._place.name[:LONGEST_STEM]}-lists", None

    def _playing(self) -> Engagement:
        if self._engagement is None:
            raise ToolError("no game has been started; call start_game")
        return self._engagement

    async def _next(self) -> Status:
        await self._playing().until_turn(TURN_LIMIT_S)
        return self._status(None)

    def _status(self, game: str | None, *, is_whole: bool = False) -> Status:
        if self._engagement is None:
            return Status("idle")
        seat, is_over = self._engagement.seat, self._engagement.is_over
        ended = tuple(map(_ended, seat.results))
        game = game or next(iter(seat.questions), None)
        question = None if game is None else seat.questions.get(game)
        if question is None:
            return Status(
                "idle" if is_over else "waiting", ended=ended, error=self._engagement.error
            )
        shown = ARENA.position if is_whole or not question.history.own else ARENA.table
        left_s = question.due - asyncio.get_running_loop().time()
        return Status(
            "your_turn",
            game=question.turn.game.id,
            opponent=question.turn.game.opponent,
            position=shown(question.turn.board, question.history),
            legal=question.turn.legal,
            seconds_left=round(max(0.0, left_s), 1),
            ended=ended,
        )

    async def _fetch(self, path: str, **query: int) -> dict[str, Any]:
        """Return an answer of the server's API; an error has its own words where it gave any."""
        if self._place.page is None:
            raise ToolError("the address of the server's page is not known; start with --page URL")
        url = f"{self._place.page.rstrip('/')}/api/v1/{path}"
        try:
            own = own_transport(url)
            async with httpx.AsyncClient(timeout=PAGE_LIMIT_S, transport=own) as client:
                response = await client.get(url, params=query)
            told = response.json()
        except (httpx.HTTPError, ImportError, ValueError) as error:
            raise ToolError(f"{url} does not answer: {error}") from None
        if response.status_code >= httpx.codes.BAD_REQUEST or not isinstance(told, dict):
            raise ToolError(_refusal(told, response.status_code))
        return told


def make_server(place: Destination) -> FastMCP[None]:
    """Return the MCP server of one client."""
    tools = Tools(place)

    @asynccontextmanager
    async def lifespan(_server: FastMCP[None]) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await tools.close()

    server: FastMCP[None] = FastMCP(
        "mancala-arena",
        version=place.agent.version or None,
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
    )
    server.add_middleware(_PlainErrors())
    for tool, hints in (
        (tools.list_opponents, READS),
        (tools.start_game, PLAYS),
        (tools.board, READS),
        (tools.legal_moves, READS),
        (tools.play, PLAYS),
        (tools.wait, READS),
        (tools.resign, GIVES_UP),
        (tools.leave, PLAYS),
        (tools.review, READS),
    ):
        server.tool(tool, annotations=hints)
    return server


def _match(
    opponent: str | None, games: int, rules: str | None, move_s: float | None, *, rated: bool
) -> Seek | Challenge:
    try:
        played = None if rules is None else Rules.parse(rules)
    except InvalidPositionError as error:
        raise ToolError(str(error)) from None
    clock = None if move_s is None else TimeControl(move_ms=max(1, round(1000 * move_s)))
    if opponent is None:
        return Seek(played, clock, rated=rated, games=games)
    return Challenge(opponent, played, clock, rated=rated, games=games)


def _ended(result: GameResult) -> EndedGame:
    own, other = result.stores[result.seat], result.stores[1 - result.seat]
    return EndedGame(result.game, result.opponent, _outcome(result), (own, other), result.reason)


def _outcome(result: GameResult) -> Literal["win", "draw", "loss", "void"]:
    if result.reason is Reason.ABORTED:
        return "void"
    if result.winner is None:
        return "draw"
    return "win" if result.won else "loss"


def _refusal(told: object, status: int) -> str:
    error = told.get("error") if isinstance(told, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return str(message) if message else f"the server's page answered {status}"
