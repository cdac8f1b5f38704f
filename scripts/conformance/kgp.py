"""The situations of ``mancala check-bot`` for clients of the Kalah Game Protocol."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final

from mancala.protocol.kgp.lines import VERSION, Argument, Command, KgpError, parse, write
from mancala.protocol.rules import Board, Rules

from .kgp_links import KgpLink
from .robot import QUOTED_FRAMES, Times
from .verdicts import ConformanceReport, FailureError, Verdict, chosen, short

GREETING_S: Final = 10.0
PONG_S: Final = 5.0
STOP_S: Final = 0.05
"""How long after a ``yield`` its ``stop`` is sent: the stock client hangs on an immediate one."""
SIZES: Final = ("kalah:pits=1,seeds=1", "kalah:pits=3,seeds=2", "kalah:pits=9,seeds=4")


class KgpFailureError(FailureError):
    """A failure by the rules of another document than SPEC.md."""

    @property
    def rule(self) -> str:
        """The rule, in a sentence of the robot's."""
        return f"Kalah Game Protocol 1.0: {self.spec}"


class KgpRobot:
    """The server that a client of the protocol is checked against; it keeps the last lines."""

    def __init__(self, link: KgpLink, times: Times) -> None:
        self.lines: deque[str] = deque(maxlen=QUOTED_FRAMES)
        self._link = link
        self._number = 0
        self._times = times
        self._has_moved = False

    async def say(self, name: str, *arguments: Argument, ref: int | None = None) -> int:
        """Send a command; return its number."""
        line = write(Command(name, arguments, self._number, ref))
        self.lines.append(f"S: {line.strip()}")
        await self._link.write(line)
        self._number += 2
        return self._number - 2

    async def hear(self, within_s: float) -> Command:
        """Return the client's next command."""
        async with asyncio.timeout(max(0.0, within_s)):
            try:
                data = await self._link.read()
            except ValueError:  # as StreamReader says it
                raise KgpFailureError(
                    "a command", "a line without an end", "a line is [id][@ref] name arguments"
                ) from None
        if not data:
            raise KgpFailureError(
                "that the client stays connected", "it closed the connection", "goodbye ends it"
            )
        line = data.decode(errors="backslashreplace")
        self.lines.append(f"C: {short(line.strip())}")
        try:
            return parse(line)
        except KgpError as error:
            raise KgpFailureError(
                "a command", str(error), "a line is [id][@ref] name arguments"
            ) from None

    async def answer(self, board: Board, *, question: int | None = None) -> int:
        """Put a state, or take one that was put, and return the client's pit, counted from 0."""
        number = await self.say("state", board) if question is None else question
        ends_at = time.monotonic() + self._times.move_s + self._times.late_s
        pit: int | None = None
        while True:
            try:
                command = await self.hear(ends_at - time.monotonic())
            except TimeoutError:
                break
            if command.ref != number:
                continue
            if command.name == "yield":
                await asyncio.sleep(STOP_S)
                break
            if command.name == "move":
                pit = _legal(board, command)
        await self.say("stop", ref=number)
        if pit is None:
            raise KgpFailureError(
                f"move @{number} within {self._times.move_s:g} s",
                "none",
                "a state asks for a move",
                is_late=self._has_moved,
            )
        self._has_moved = True
        return pit


def _legal(board: Board, command: Command) -> int:
    legal = [pit + 1 for pit in board.legal()]
    if len(command.arguments) != 1 or command.arguments[0] not in legal:
        raise KgpFailureError(
            f"one of the legal pits {legal} of {board.text}",
            f"move {' '.join(map(str, command.arguments))}",
            "pits are counted from 1 in South's direction of sowing, and the client is South",
        )
    return int(str(command.arguments[0])) - 1


async def greets(robot: KgpRobot) -> None:
    """Asks for the mode freeplay after the server's greeting."""
    await robot.say("kgp", *VERSION)
    try:
        async with asyncio.timeout(GREETING_S):
            while (command := await robot.hear(GREETING_S)).name != "mode":
                pass
    except TimeoutError:
        raise KgpFailureError("mode freeplay", "nothing", "the client chooses a mode") from None
    if command.arguments != ("freeplay",):
        raise KgpFailureError("mode freeplay", str(command), "bots play in the mode freeplay")


async def plays_a_game(robot: KgpRobot) -> None:
    """Plays a game to its end; the robot sows its first pit."""
    board = Board.start()
    while not board.is_over:
        pit = await robot.answer(board) if board.player == 0 else board.legal()[0]
        board = board.sow(pit).board


async def plays_other_sizes(robot: KgpRobot) -> None:
    """Plays on boards of other sizes."""
    for text in SIZES:
        await robot.answer(Board.start(Rules.parse(text)))


async def answers_pings(robot: KgpRobot) -> None:
    """Answers a ping by a pong that refers to it."""
    number = await robot.say("ping")
    try:
        async with asyncio.timeout(PONG_S):
            while (command := await robot.hear(PONG_S)).ref != number or command.name != "pong":
                pass
    except TimeoutError:
        wanted, rule = f"pong @{number}", "a ping is answered by a pong"
        raise KgpFailureError(wanted, "none", rule, is_late=True) from None


async def is_stopped(robot: KgpRobot) -> None:
    """Goes on after a question that was stopped before it answered."""
    stopped = await robot.say("state", Board.start())
    await robot.say("stop", ref=stopped)
    await robot.answer(Board.from_text("<6,3,1,0,0,0,0,0,9,5,0,2,0,9,9>"))


async def lives_with_settings(robot: KgpRobot) -> None:
    """Ignores options that it does not know."""
    await robot.say("set", "conformance:weather", "fair")
    await robot.answer(Board.start())


Situation = Callable[[KgpRobot], Awaitable[None]]
SITUATIONS: Final[Mapping[str, Situation]] = {
    "greeting and mode": greets,
    "a whole game": plays_a_game,
    "other sizes": plays_other_sizes,
    "pings": answers_pings,
    "a stopped question": is_stopped,
    "unknown options": lives_with_settings,
}


async def check(robot: KgpRobot, bot: str, names: Collection[str] = ()) -> ConformanceReport:
    """Put a client through all situations, or those named, until it fails in one."""
    report = ConformanceReport(bot)
    for name, situation in chosen(SITUATIONS, names).items():
        robot.lines.clear()
        try:
            await situation(robot)
        except FailureError as failure:
            report.verdicts.append(Verdict(name, failure, tuple(robot.lines)))
            return report
        report.verdicts.append(Verdict(name))
    await robot.say("goodbye")
    return report
