"""A bot on a Kalah Game Protocol server, over TCP or a websocket.

The player is any `Bot`. Its provisional moves become ``move`` commands; its answer becomes the
last ``move`` and ``yield``. When the server stops a question, the player's task is cancelled. If
the server states no time limit, the player has `think_s` for each question.

The protocol cannot resume: when the connection is lost, the bot's games are over.
"""

import asyncio
import logging
from dataclasses import replace
from typing import Final, assert_never

from mancala.protocol import messages as wire
from mancala.protocol.clock import LONGEST_MS, ClockState, TimeControl
from mancala.protocol.kgp.client import (
    Event,
    GameFinished,
    GameVerdict,
    Greeted,
    Introduction,
    KgpClient,
    KgpResult,
    PitQuestion,
    Reply,
    ServerLeft,
    StatedClock,
    Stopped,
    UnsupportedError,
)
from mancala.protocol.messages import ErrorCode, Reason

from ..client.bot import Bot, Choose, Game, GameResult, as_bot
from ..client.budget import RoundTrip
from ..client.errors import ConnectionFailedError, RefusedError, ServerFaultError
from ..client.link import ungrouped
from ..client.reconnect import expect_text
from ..client.turns import PendingTurns, player_errors
from .lines import Lines, connected

WINNERS: Final = {GameVerdict.WON: 0, GameVerdict.LOST: 1}
SETTLED_S: Final = 0.05
"""Time in which a server has to know its own question: then the last move is said again."""


async def run(
    url: str,
    player: Bot | Choose,
    introduction: Introduction,
    *,
    games: int | None = None,
    think_s: float = 5.0,
    stop: asyncio.Event | None = None,
) -> list[KgpResult]:
    """Play on a server until a number of games is finished, or the server says goodbye.

    It raises what `mancala.run` raises.

    Args:
        url: the server's address: ``tcp://host[:port]``, ``ws://…`` or ``wss://…``.
        player: an async function from a turn to a pit, or a `Bot`.
        introduction: the bot's name, token and description.
        games: leave after this number of finished games; None to stay.
        think_s: seconds to think where the server states no limit.
        stop: once set, the bot leaves after the running game.

    Returns:
        The finished games, in order.
    """
    expect_text(url)
    bot = as_bot(player)
    try:
        with player_errors():
            await bot.warm_up()
        async with connected(url) as lines:
            connection = _KgpConnection(lines, KgpClient(introduction), bot, games, think_s)
            try:
                await connection.run(stop or asyncio.Event())
            except ConnectionFailedError as error:
                raise ConnectionFailedError(f"{url}: {error}") from error
        return connection.results
    finally:
        await bot.close()


class _KgpConnection:
    def __init__(
        self, lines: Lines, client: KgpClient, bot: Bot, games: int | None, think_s: float
    ) -> None:
        self.results: list[KgpResult] = []
        self._lines = lines
        self._client = client
        self._bot = bot
        self._games = games
        self._think_s = think_s
        self._tasks = asyncio.TaskGroup()
        self._turns = PendingTurns(self._answer, self._tasks, bot, logging.getLogger(__name__))
        self._game: Game | None = None
        self._open: dict[int, str] = {}
        self._named: dict[int, int] = {}
        self._yields: dict[int, asyncio.TimerHandle] = {}
        self._is_leaving = False
        self._is_over = asyncio.Event()
        self._is_greeted = False
        self._was_asked = False

    async def run(self, stop: asyncio.Event) -> None:
        """Exchange lines until one end says goodbye; raise what the function `run` raises."""
        with ungrouped():
            async with self._tasks:
                tasks = {
                    self._tasks.create_task(self._wait_for_stop(stop), name="wait for stop"),
                    self._tasks.create_task(self._listen(), name="listen"),
                }
                try:
                    await self._is_over.wait()
                finally:
                    for timer in self._yields.values():
                        timer.cancel()
                self._turns.close_all()
                for task in tasks:
                    task.cancel()

    # The connection

    async def _listen(self) -> None:
        is_silent = True
        while (lines := await self._lines.read()) is not None:
            is_silent = False
            for line in lines:
                self._receive(line)
        if not self._is_greeted:
            kind = ConnectionFailedError if is_silent else ServerFaultError
            raise kind("the server closed the connection without the greeting `kgp 1 … …`")
        for event in self._client.lost():
            self._take(event)
        self._is_over.set()

    async def _wait_for_stop(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._is_leaving = True
        self._leave_if_done()

    def _leave_if_done(self) -> None:
        is_done = self._games is not None and len(self.results) >= self._games
        is_idle = self._is_leaving and self._game is None
        if (is_done or is_idle) and not self._is_over.is_set():
            self._is_over.set()
            self._lines.write([self._client.goodbye()])

    # What the server says

    def _receive(self, line: str) -> None:
        try:
            events = self._client.receive(line)
        except UnsupportedError as error:
            raise ServerFaultError(str(error)) from error
        for event in events:
            if not self._is_over.is_set():
                self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case Greeted(lines):
                self._is_greeted = True
                self._lines.write(lines)
            case Reply(line):
                self._lines.write([line])
            case PitQuestion():
                self._asked(event)
            case Stopped(number):
                self._close(number)
            case GameFinished(result):
                self._finished(result)
            case ServerLeft(reason):
                if reason and not self._was_asked:
                    raise RefusedError(ErrorCode.DECLINED, reason)
                self._is_over.set()
            case _:
                assert_never(event)

    def _asked(self, asked: PitQuestion) -> None:
        self._was_asked = True
        control, clock, deadline_ms = self._time(asked.clock)
        if self._game is None:
            self._game = Game(
                id=asked.game or f"game {asked.number}",
                match="",
                seat=0,
                rules=asked.board.rules,
                control=control,
                opponent=asked.opponent,
                rated=False,
            )
            with player_errors():
                self._bot.game_started(self._game)
        game, board = replace(self._game, control=control), asked.board
        self._open[asked.number] = game.id
        turn = wire.Turn(game.id, asked.number, board.state, board.legal(), clock, deadline_ms)
        self._turns.ask(game, turn, RoundTrip())

    def _time(self, clock: StatedClock | None) -> tuple[TimeControl, ClockState, int]:
        if clock is None:
            clock = StatedClock(is_bank=False, own_ms=round(1000 * self._think_s), other_ms=0)
        own_ms = min(max(1, clock.own_ms), LONGEST_MS)
        if not clock.is_bank:
            return TimeControl(move_ms=own_ms), ClockState(None, (0, 0)), own_ms
        control = TimeControl(move_ms=None, bank_ms=own_ms)
        return control, ClockState((own_ms, clock.other_ms), (0, 0)), own_ms

    def _close(self, number: int) -> None:
        if number in self._yields:
            self._yields.pop(number).cancel()
        game = self._open.get(number)
        if game is not None:
            self._forget(number)
            self._turns.close(game, up_to=number)

    def _forget(self, number: int) -> None:
        del self._open[number]
        self._named.pop(number, None)

    def _finished(self, result: KgpResult) -> None:
        self.results.append(result)
        game, self._game = self._game, None
        if game is not None and result.verdict is not GameVerdict.UNKNOWN:
            with player_errors():
                self._bot.game_over(_for_bot(game, result))
        self._leave_if_done()

    # What the player says

    def _answer(self, message: wire.Message) -> None:
        match message:
            case wire.Move(_, number, pit, is_provisional, info) if number in self._open:
                lines = []
                if self._named.get(number) != pit:
                    self._named[number] = pit
                    lines = [self._client.move(number, pit)]
                if not is_provisional and self._client.states_results:
                    lines = [*self._comment(info), *lines, self._end_answer(number)]
                elif not is_provisional:
                    self._end_answer_soon(number, pit, info)
                self._lines.write(lines)
            case wire.Resign(game):
                number = max(it for it, name in self._open.items() if name == game)
                self._lines.write([self._end_answer(number)])

    def _comment(self, info: wire.Info | None) -> list[str]:
        return [] if info is None else [self._client.comment(_comment(info))]

    def _end_answer_soon(self, number: int, pit: int, info: wire.Info | None) -> None:
        """Say the move again, and ``yield``, once the server knows its question."""

        def end() -> None:
            del self._yields[number]
            lines = [*self._comment(info), self._client.move(number, pit)]
            self._lines.write([*lines, self._client.end_answer(number)])

        self._forget(number)
        self._yields[number] = asyncio.get_running_loop().call_later(SETTLED_S, end)

    def _end_answer(self, number: int) -> str:
        self._forget(number)
        return self._client.end_answer(number)


def _for_bot(game: Game, result: KgpResult) -> GameResult:
    reason = Reason(result.reason) if result.reason in list(Reason) else Reason.NORMAL
    return GameResult(
        game=game.id,
        match=game.match,
        opponent=game.opponent,
        seat=game.seat,
        winner=WINNERS.get(result.verdict),
        stores=result.stores,
        reason=Reason.ABORTED if result.verdict is GameVerdict.VOID else reason,
    )


def _comment(info: wire.Info) -> str:
    facts = {
        "depth": info.depth,
        "value": info.value,
        "exact": info.exact,
        "nodes": info.nodes,
        "pv": " ".join(map(str, info.pv)) if info.pv else None,
    }
    words = [f"{name} {value}" for name, value in facts.items() if value is not None]
    return ", ".join(words) if info.comment is None else info.comment
