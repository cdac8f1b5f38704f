"""A bot whose moves come from outside: its questions wait until they are answered by a call.

The seat is that of any bot: the clock runs while a question waits, a dropped connection is resumed,
and an answer that comes too late is not accepted.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from fastmcp.exceptions import ToolError

from mancala.protocol.messages import Agent, Challenge, Seek
from mancala.protocol.player import Choice, PlayerError

from ..client.bot import Bot, Game, GameResult, Turn
from ..client.errors import ClientError
from ..client.run import run
from ..players.history import History

CLOSING_S = 3.0
"""Seconds in which a client that ends takes leave of the server."""


@dataclass(slots=True)
class OpenTurn:
    """A turn that waits for its answer; the flag falls when it is ``due`` by the loop's clock."""

    turn: Turn
    history: History
    answer: asyncio.Future[Choice]
    due: float


@dataclass(slots=True)
class McpSeat(Bot):
    """The bot that a match server sees; it has the open questions by game, and the results."""

    questions: dict[str, OpenTurn] = field(default_factory=dict)
    results: list[GameResult] = field(default_factory=list)
    _histories: dict[str, History] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def choose(self, turn: Turn) -> Choice:
        """Wait for the answer to a question."""
        loop = asyncio.get_running_loop()
        history = self._histories.setdefault(turn.game.id, History())
        history.see(turn.board)
        question = OpenTurn(turn, history, loop.create_future(), loop.time() + turn.deadline_s)
        self.questions[turn.game.id] = question
        self._changed.set()
        try:
            choice = await question.answer
        finally:
            del self.questions[turn.game.id]
            self._changed.set()
        history.play(turn.board, choice.pit)
        return choice

    def game_started(self, game: Game) -> None:
        """Begin a history; after a resumption what was played before is not known."""
        self._histories[game.id] = History()

    def game_over(self, result: GameResult) -> None:
        """Keep the result."""
        self._histories.pop(result.game, None)
        self.results.append(result)
        self._changed.set()

    def question(self, game: str | None) -> OpenTurn:
        """Return the open question of a game; of the only one if none is named."""
        if game is None and len(self.questions) > 1:
            raise ToolError(f"say which game: {', '.join(self.questions)}")
        found = self.questions.get(game or next(iter(self.questions), ""))
        if found is None or found.answer.done():
            raise ToolError("it is not your turn; call wait")
        return found

    def answer(self, game: str | None, pit: int) -> None:
        """Answer a question; one that may not be answered so stays open."""
        question = self.question(game)
        if pit not in question.turn.legal:
            raise ToolError(f"pit {pit} may not be sown; legal: {list(question.turn.legal)}")
        question.answer.set_result(Choice(pit))

    def resign(self, game: str | None, cause: str = "") -> None:
        """Resign a game whose question is open; the cause is shown with its end."""
        self.question(game).answer.set_exception(PlayerError(cause))

    async def change(self) -> None:
        """Wait until a question is put or ends, or a game ends."""
        self._changed.clear()
        await self._changed.wait()


@dataclass(slots=True)
class Engagement:
    """One series of games on a server, from the request to the goodbye."""

    seat: McpSeat
    _task: asyncio.Task[list[GameResult]]
    _stop: asyncio.Event

    @classmethod
    def begin(
        cls,
        url: str,
        *,
        name: str,
        token: str | None,
        wanted: Seek | Challenge | str,
        games: int,
        agent: Agent,
    ) -> Engagement:
        """Connect, and ask for a match, or join the ladder of a name; leave after ``games``."""
        seat, stop = McpSeat(), asyncio.Event()
        playing = run(
            url,
            seat,
            name=name,
            token=token,
            games=games,
            seek=None if isinstance(wanted, str) else wanted,
            ladder=wanted if isinstance(wanted, str) else None,
            accept=False,
            agent=agent,
            session_file=None,
            stop=stop,
        )
        return cls(seat, asyncio.get_running_loop().create_task(playing), stop)

    @property
    def is_over(self) -> bool:
        """Whether the bot has left the server."""
        return self._task.done()

    @property
    def error(self) -> str | None:
        """Why the bot left, if it did not leave as planned."""
        if not self._task.done() or self._task.cancelled():
            return None
        error = self._task.exception()
        if error is None or isinstance(error, ClientError):
            return None if error is None else str(error)
        raise error

    async def until_turn(self, limit_s: float) -> None:
        """Wait for a question or for the end, for at most ``limit_s`` seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while not (self._is_asked() or self._task.done()):
                    change = asyncio.ensure_future(self.seat.change())
                    try:
                        await asyncio.wait(
                            {change, self._task}, return_when=asyncio.FIRST_COMPLETED
                        )
                    finally:
                        change.cancel()

    def leave(self) -> None:
        """Start nothing new; a running game goes on to its end."""
        self._stop.set()

    async def close(self) -> None:
        """Resign what is running, and leave."""
        self._stop.set()
        for question in list(self.seat.questions.values()):
            if not question.answer.done():
                question.answer.set_exception(PlayerError("the client has left"))
        await asyncio.wait({self._task}, timeout=CLOSING_S)
        self._task.cancel()
        with suppress(asyncio.CancelledError, ClientError):
            await self._task

    def _is_asked(self) -> bool:
        return any(not question.answer.done() for question in self.seat.questions.values())
