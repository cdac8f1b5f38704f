"""The robot as a server: it awaits the bot, greets it, starts games and asks for moves."""

import asyncio
import itertools
import time
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from websockets import Subprotocol
from websockets.asyncio.server import ServerConnection, serve
from websockets.protocol import State

from mancala.bot.players.programs.handed_game import HandedGame
from mancala.bot.players.programs.net import SESSION
from mancala.bot.players.programs.private_server import LIMITS, seeking
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import KALAH, Board, InvalidPositionError, Rules

from .link import GoneError, Link
from .starting import BotProcess
from .verdicts import AbsentError, FailureError

HELLO_S: Final = 10.0
CLOSE_S: Final = 1.0
LEAVE_S: Final = 5.0
"""How long a bot that has played what it asked for may take to leave, and its command to end."""
QUOTED_FRAMES: Final = 12
Extra = Mapping[str, object]
NOTHING: Final[Extra] = MappingProxyType({})
MATCHES: Final = 30
ROBOT: Final = "robot"
MOST_ANSWERS: Final = 32
"""Answers to one turn that a server pays for in advance."""


@dataclass(slots=True)
class RobotTable(HandedGame):
    """One game of the robot's.

    Of the present question it has the bot's last provisional and its final answer, their number,
    and when it was put.
    """

    final: int | None = None
    provisional: int | None = None
    answers: int = 0
    asked_at: float = 0.0

    @property
    def is_asked(self) -> bool:
        return not self.board.is_over and self.board.player == self.seat


class AcceptedConnection(NamedTuple):
    """A connection that was accepted, whether another one was open then, and when that was."""

    socket: ServerConnection
    is_further: bool
    at: float


async def next_arrival(
    arrivals: asyncio.Queue[AcceptedConnection],
    ending: Coroutine[None, None, int] | None,
    within_s: float,
) -> tuple[AcceptedConnection | None, int | None]:
    """Return the next connection; or None, and the exit code if the bot's command ends before."""
    coming = asyncio.ensure_future(arrivals.get())
    ended = asyncio.ensure_future(ending) if ending else None
    waiting = {each for each in (coming, ended) if each is not None}
    done, _ = await asyncio.wait(waiting, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()
    arrival = coming.result() if coming in done else None
    code = ended.result() if ended is not None and ended in done else None
    return arrival, code


@dataclass(frozen=True, slots=True)
class Times:
    """How long the robot waits, in seconds: a move's clock, its lateness, and for a connection."""

    move_s: float = 1.0
    late_s: float = 0.25
    come_s: float = 60.0


class Robot:
    """The match server that a bot is checked against.

    It keeps the last frames, the bot's last hello and how many provisional moves were offered; the
    process is None where the robot did not start it.
    """

    def __init__(self, times: Times) -> None:
        """Prepare; :func:`listening` opens the port."""
        self.url = ""
        self.times = times
        self.frames: deque[str] = deque(maxlen=QUOTED_FRAMES)
        self.hello: wire.Hello | None = None
        self.offered = 0
        self.process: BotProcess | None = None
        self._numbers = itertools.count(1)
        self._connections: asyncio.Queue[AcceptedConnection] = asyncio.Queue()
        self._latest: ServerConnection | None = None
        self._link: Link | None = None
        self._tables: dict[str, RobotTable] = {}
        self._wanted: int | None = None  # matches that the bot asked for; None if without an end
        self._has_moved = False

    async def serve(self, socket: ServerConnection) -> None:
        is_further = self._latest is not None and self._latest.state is State.OPEN
        self._latest = socket
        self._connections.put_nowait(AcceptedConnection(socket, is_further, time.monotonic()))
        await socket.wait_closed()

    @property
    def is_connected(self) -> bool:
        """Whether the bot is welcome on a connection that is open, as far as is known."""
        return self._link is not None and not self._link.has_left

    # Connections

    async def come(self, within_s: float | None = None) -> Link:
        wait_s = self.times.come_s if within_s is None else within_s
        rule = "The transport is a websocket" if self.hello is None else "**A dropped connection**"
        failing = self.process.failed() if self.process else None
        arrival, code = await next_arrival(self._connections, failing, wait_s)
        if arrival is None:
            if code is None:
                wanted, came = f"a connection within {wait_s:g} s", self.hello is not None
                raise AbsentError(wanted, "none", rule, is_late=came)
            raise AbsentError(
                "a connection", f"none; its command ended with exit code {code}", rule
            )
        if arrival.is_further:
            await arrival.socket.close()
            raise FailureError(
                "one connection of the bot",
                "a further one while the first was open",
                "**One session, one connection.**",
            )
        self.frames.append("the bot connects")
        self._link = Link(arrival.socket, self.frames, arrival.at)
        return self._link

    async def greeted(self) -> wire.Hello:
        link = await self.come()
        try:
            message = await link.hear(HELLO_S)
        except (TimeoutError, GoneError) as silence:
            raise FailureError(
                f"hello within {HELLO_S:g} s",
                str(silence) or "nothing",
                "The first message; it must arrive",
                is_late=self.hello is not None,
            ) from None
        if not isinstance(message, wire.Hello):
            raise FailureError("hello", repr(message), "The first message; it must arrive")
        self.hello = message
        return message

    async def meet_again(self) -> None:
        """Welcome a bot that has left as if it were new; start it if it does not come by itself."""
        if self.process is not None:
            arrival, _ = await next_arrival(self._connections, self.process.ended(), LEAVE_S)
            if arrival is None:
                await self.process.keep_running()
            else:
                self._connections.put_nowait(arrival)
        asks = self._wanted is not None
        await self.greeted()
        await self.welcome()
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                while asks and self._wanted is None:
                    await self.hear(LEAVE_S)

    async def welcome(self, *, resumed: bool = False) -> None:
        """Welcome the bot, and repeat the running games of a resumed session."""
        self._wanted = self._wanted if resumed else None
        running = tuple({table.match for table in self._tables.values()}) if resumed else ()
        await self.link.say(
            wire.Welcome(wire.VERSION, "conformance", self.secret, resumed, LIMITS, running)
        )
        for table in self._tables.values() if resumed else ():
            await self.say_start(table)
            if table.is_asked:
                await self.ask(table)

    @property
    def secret(self) -> str:
        return SESSION + (self.hello.name if self.hello else "")

    @property
    def _name(self) -> str:
        return self.hello.name if self.hello else "bot"

    @property
    def link(self) -> Link:
        if self._link is None:
            raise FailureError("a connected bot", "none is connected", "**A dropped connection**")
        return self._link

    def forget_connection(self) -> None:
        """Treat the present connection as lost; what the next one says is judged anew."""
        self._link = None

    # Games

    async def start(
        self,
        rules: Rules = KALAH,
        *,
        seat: int = 0,
        control: TimeControl | None = None,
        opening: Board | None = None,
    ) -> RobotTable:
        """Start a game, with a bot that has left after its last match once it is back."""
        if not self.is_connected:
            await self.meet_again()
        number = next(self._numbers)
        board = opening or Board.start(rules)
        control = control or TimeControl(move_ms=round(1000 * self.times.move_s))
        table = RobotTable(f"game{number}", f"match{number}", seat, control, board, board, [])
        self._tables[table.id] = table
        await self.say_start(table)
        return table

    async def say_start(self, table: RobotTable) -> None:
        await self.link.say(table.start(self._name, ROBOT, rated=True))

    async def ask(self, table: RobotTable, extra: Extra = NOTHING) -> None:
        """Ask the bot for its move, with members that a later version might add."""
        table.final = table.provisional = None
        table.answers = 0
        table.asked_at = time.monotonic()
        await self.link.say(table.turn(table.control.move_ms or 1000), extra)

    async def answer(self, table: RobotTable) -> int:
        """Await the final answer to a table's question; return its pit."""
        allowed_s = (table.control.move_ms or 1000) / 1000 + self.times.late_s
        while table.final is None:
            left_s = table.asked_at + allowed_s - time.monotonic()
            try:
                await self.hear(max(0.0, left_s))
            except TimeoutError:
                got = "nothing" if table.answers == 0 else "only provisional moves"
                raise FailureError(
                    f"the final move of game {table.id}, ply {len(table.moves)}, within "
                    f"{table.control.move_ms} ms",
                    got,
                    "`forfeit`: the game is lost",
                    is_late=self._has_moved,
                ) from None
        return table.final

    async def hear(self, within_s: float) -> wire.ClientMessage:
        """Take the bot's next message; note its moves."""
        try:
            message = await self.link.hear(within_s)
        except GoneError as gone:
            self.forget_connection()
            raise FailureError(
                "that the bot stays connected",
                f"it closed the connection ({gone})",
                "**Goodbye** gives up all seats immediately",
            ) from None
        await self._take(message)
        return message

    async def _take(self, message: wire.ClientMessage) -> None:
        match message:
            case wire.Move():
                self._take_move(message)
            case wire.Resign():
                cause = f": {message.cause}" if message.cause else ""
                got = f"the bot resigned game {message.game}{cause}"
                raise FailureError("a move", got, "Resigns a game")
            case wire.Goodbye() if self._may_leave:
                raise GoneError("goodbye")
            case wire.Goodbye():
                raise FailureError(
                    f"that the bot stays until the end of the check, of some {MATCHES} matches",
                    "goodbye",
                    "**Goodbye** gives up all seats immediately",
                )
            case wire.Seek():
                self._wanted = 1
                await self.link.say(_seeking(message))
            case wire.Join():
                self._wanted = message.matches
                await self.link.say(
                    wire.Joined(message.ladder, KALAH, TimeControl(), 2, message.matches)
                )
            case wire.Leave():
                self._wanted = 0
                await self.link.say(wire.Left(message.ladder))

    def _take_move(self, move: wire.Move) -> None:
        table = self._tables.get(move.game)
        if table is None or move.ply < len(table.moves):
            return  # it is late, which is never an error
        if move.ply > len(table.moves) or not table.is_asked:
            raise FailureError(
                f"an answer to game {move.game}, ply {len(table.moves)}",
                f"a move for ply {move.ply}",
                "An answer to a question that was **not put** to this player",
            )
        if move.pit not in table.board.legal():
            raise FailureError(
                f"one of the legal pits {list(table.board.legal())} of {table.board.text}",
                f"pit {move.pit}",
                "An answer with a pit that may not be sown ends the game",
            )
        table.answers += 1
        self._has_moved = True
        self.offered += move.provisional
        if table.answers > MOST_ANSWERS:
            raise FailureError(
                f"at most {MOST_ANSWERS} answers to one turn",
                f"{table.answers} of them",
                "each `turn` prepays 32 of them",
            )
        if move.provisional:
            table.provisional = move.pit
        elif table.final is None:
            table.final = move.pit

    async def play(
        self, table: RobotTable, pit: int, extra: Extra = NOTHING, *, forced: bool = False
    ) -> None:
        await self.link.say(table.sow(pit, forced=forced), extra)

    async def play_on(
        self, table: RobotTable, plies: int | None = None, extra: Extra = NOTHING
    ) -> None:
        """Play a game to its end, or a number of the bot's plies; the robot sows its first pit."""
        for _ in range(10_000) if plies is None else range(plies):
            while not table.board.is_over and not table.is_asked:
                await self.play(table, table.board.legal()[0], extra)
            if table.board.is_over:
                break
            await self.ask(table, extra)
            await self.play(table, await self.answer(table), extra)

    async def end(self, *tables: RobotTable, reason: wire.Reason = wire.Reason.NORMAL) -> None:
        """End games and their matches; who has played all that it asked for may leave then."""
        for table in tables:
            del self._tables[table.id]
        if self._wanted is not None:
            self._wanted -= len(tables)
        try:
            for table in tables:
                await self.link.say(table.ended(reason))
                half = dict.fromkeys((self._name, ROBOT), 0.5)
                await self.link.say(wire.MatchOver(table.match, half))
            async with asyncio.timeout(LEAVE_S):
                while self._may_leave:
                    await self._take(await self.link.hear(LEAVE_S))
        except TimeoutError:
            self._wanted = None  # it stays
        except GoneError:
            if not self._may_leave:
                raise
            with suppress(GoneError):
                await self.link.say(wire.Goodbye("goodbye"))
            await self.link.close(1000)
            self.forget_connection()

    @property
    def _may_leave(self) -> bool:
        return self._wanted is not None and self._wanted <= 0 and not self._tables

    def drop_games(self) -> None:
        """Forget all games, after a situation that was failed."""
        self._tables.clear()


def _seeking(seek: wire.Seek) -> wire.Seeking:
    try:
        return seeking(seek)
    except InvalidPositionError as error:
        raise FailureError("known rules", f"{seek.rules!r}: {error}", "Unknown rules, a") from None


def _first_of(_socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    return Subprotocol(wire.VERSION) if wire.VERSION in offered else None


@asynccontextmanager
async def listening(host: str, port: int, times: Times) -> AsyncIterator[Robot]:
    """Run the robot on a port during the block; 0 for any free one."""
    robot = Robot(times)
    async with serve(
        robot.serve,
        *(host, port),
        compression=None,
        select_subprotocol=_first_of,
        close_timeout=CLOSE_S,
    ) as server:
        robot.url = f"ws://{host}:{server.sockets[0].getsockname()[1]}"
        yield robot
