"""The situations of ``mancala check-bot`` for bots on the websocket, in the order they are played.

Each is a function of the robot that raises `FailureError` where the bot does something else than
SPEC.md says. A bot that fails one is met in the next as if nothing had happened: its games are
dropped, and where its connection is gone, the next one is awaited.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from typing import Final

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl, TimeoutPolicy
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules
from mancala.protocol.text import quantity

from .link import GoneError
from .robot import Robot
from .verdicts import AbsentError, ConformanceReport, FailureError, Verdict, chosen

Situation = Callable[[Robot], Awaitable[str | None]]
"""A situation; it may return a note."""

QUIET_S: Final = 0.2
"""How long the welcome is held back, to see whether the bot waits for it."""
WISH_S: Final = 3.0
STAY_AWAY_S: Final = 3.0
BACK_AFTER_S: Final = 1.0
PONG_S: Final = 5.0
SMALL_CLOCK_MS: Final = 200
SIZES: Final = ("kalah:pits=1,seeds=1", "kalah:pits=3,seeds=2", "kalah:pits=2,seeds=60",
                "kalah:pits=16,seeds=1")  # fmt: skip
OWN_ROWS: Final = (
    ((4, 4, 4, 0, 0, 0), (0, 0, 0, 4, 4, 4)),
    ((0, 0, 0, 4, 4, 4), (4, 4, 4, 0, 0, 0)),
    ((0, 3, 0, 3, 0, 3), (3, 0, 3, 0, 3, 0)),
    ((3, 0, 3, 0, 3, 0), (0, 3, 0, 3, 0, 3)),
)
"""Rows of the bot and of its opponent in which no pit can be sown by both."""
TRIES: Final = 2
"""Situations in a row for which a bot that the robot starts may fail to connect."""
AGAIN: Final = "<6,9,10,6,0,0,0,0,1,4,4,4,4,4,2>"
"""A position in which every move moves again."""


async def greets(robot: Robot) -> None:
    """Says hello first, and waits for the welcome."""
    hello = await robot.greeted()
    if hello.protocol != wire.VERSION:
        raise FailureError(
            f"the protocol {wire.VERSION}", repr(hello.protocol), "| `protocol` | string |"
        )
    with suppress(TimeoutError):
        await robot.link.hear(QUIET_S)
    await robot.welcome()


async def asks_for_games(robot: Robot) -> str:
    """Seeks a match, joins a ladder, or accepts a challenge."""
    try:
        async with asyncio.timeout(WISH_S):
            while not isinstance(message := await robot.hear(WISH_S), (wire.Seek, wire.Join)):
                pass
    except TimeoutError:
        return await _challenged(robot)
    return "seeks" if isinstance(message, wire.Seek) else f"joins {message.ladder}"


async def _challenged(robot: Robot) -> str:
    clock, name = TimeControl(), robot.hello.name if robot.hello else ""
    await robot.link.say(
        wire.Challenged("c1", "robot", name, PRESETS["kalah"], clock, rated=False, games=1)
    )
    try:
        async with asyncio.timeout(WISH_S):
            while not isinstance(await robot.hear(WISH_S), wire.Accept):
                pass
    except TimeoutError:
        raise FailureError(
            "seek, join, or accept after a challenge", "none of them", "Asks for a match"
        ) from None
    return "accepts challenges"


async def plays_a_game(robot: Robot) -> None:
    """Plays a game to its end, from the first seat."""
    table = await robot.start()
    await robot.play_on(table)
    await robot.end(table)


async def plays_second(robot: Robot) -> None:
    """Waits while the opponent moves first."""
    table = await robot.start(seat=1)
    await robot.play_on(table, plies=4)
    await robot.end(table, reason=wire.Reason.RESIGNED)
    for own, other in OWN_ROWS:
        opening = Board(KALAH, (other, own), (0, 0), player=1)
        table = await robot.start(seat=1, opening=opening)
        await robot.play_on(table, plies=1)
        await robot.end(table, reason=wire.Reason.RESIGNED)


async def plays_other_sizes(robot: Robot) -> None:
    """Plays on boards of other sizes, from one pit a row to sixteen."""
    for text in SIZES:
        table = await robot.start(Rules.parse(text), seat=0)
        await robot.play_on(table, plies=6)
        await robot.end(table)


async def plays_other_rules(robot: Robot) -> None:
    """Plays by the rules of every preset, from an unusual opening too."""
    for rules in PRESETS.values():
        opening = Board.from_text("<6,3,1,0,0,8,1,1,9,5,0,2,0,9,9>", rules)
        for board in (None, opening):
            table = await robot.start(rules, opening=board)
            await robot.play_on(table, plies=4)
            await robot.end(table)


async def moves_again(robot: Robot) -> None:
    """Answers every turn of a chain of extra turns."""
    table = await robot.start(opening=Board.from_text(AGAIN))
    await robot.play_on(table, plies=3)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def ignores_what_is_new(robot: Robot) -> None:
    """Ignores members that a later version might add."""
    table = await robot.start()
    new = {"weather": {"type": "fair", "legal": [9], "ply": 99}, "comment": None}
    await robot.play_on(table, plies=3, extra=new)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def ignores_new_messages(robot: Robot) -> None:
    """Ignores messages of a type that a later version might add, to each of which it may go on."""
    table = await robot.start()
    await robot.link.say_raw('{"type":"weather","game":"game1","sky":"fair"}')
    await robot.play_on(table, plies=2)
    await robot.link.say_raw('{"type":"weather"}')
    await robot.play_on(table, plies=1)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def lives_with_errors(robot: Robot) -> None:
    """Plays on after an error that is not fatal."""
    table = await robot.start()
    await robot.link.say(
        wire.Error(wire.ErrorCode.LIMIT, "too many challenges", fatal=False, ref="c9")
    )
    await robot.play_on(table, plies=2)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def answers_pings(robot: Robot) -> None:
    """Answers a ping frame, as every websocket library does."""
    try:
        await robot.link.ping(PONG_S)
    except TimeoutError:
        raise FailureError(
            f"a pong within {PONG_S:g} s",
            "none",
            "any websocket library answers by itself",
            is_late=True,
        ) from None


async def keeps_small_clocks(robot: Robot) -> None:
    """Answers in time when it has little of it."""
    table = await robot.start(control=TimeControl(move_ms=SMALL_CLOCK_MS))
    await robot.play_on(table, plies=6)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def plays_two_games(robot: Robot) -> None:
    """Plays two games at the same time, and names the game in each answer."""
    tables = [await robot.start(), await robot.start(Rules.parse("kalah:pits=4,seeds=3"))]
    for _ in range(3):
        asked = [table for table in tables if not table.board.is_over]
        for table in asked:
            while not table.is_asked and not table.board.is_over:
                await robot.play(table, table.board.legal()[0])
        asked = [table for table in tables if table.is_asked]
        for table in asked:
            await robot.ask(table)
        for table in asked:
            await robot.play(table, await robot.answer(table))
    await robot.end(*tables, reason=wire.Reason.RESIGNED)


async def offers_moves(robot: Robot) -> str:
    """Sends provisional moves that are legal, few, and followed by a final one."""
    policy = TimeControl(
        move_ms=round(1000 * robot.times.move_s), timeout=TimeoutPolicy.PROVISIONAL
    )
    table, before = await robot.start(control=policy), robot.offered
    await robot.play_on(table, plies=3)
    await robot.end(table, reason=wire.Reason.RESIGNED)
    return (
        quantity(robot.offered - before, "provisional move")
        if robot.offered > before
        else "none sent"
    )


async def is_moved_for(robot: Robot) -> None:
    """Goes on when the referee moved for it, and when a game ends in the middle of its turn."""
    table = await robot.start(control=TimeControl(move_ms=SMALL_CLOCK_MS))
    for _ in range(3):
        await robot.ask(table)
        await asyncio.sleep(SMALL_CLOCK_MS / 1000)  # as on a server, until the flag falls
        await robot.play(table, table.board.legal()[0], forced=True)
        while not table.board.is_over and not table.is_asked:
            await robot.play(table, table.board.legal()[0])
    await robot.ask(table)
    await robot.end(table, reason=wire.Reason.RESIGNED)
    following = await robot.start()
    await robot.play_on(following, plies=2)
    await robot.end(following, reason=wire.Reason.RESIGNED)


async def takes_repetitions(robot: Robot) -> None:
    """Is not confused by a game's start that comes again."""
    table = await robot.start()
    await robot.play_on(table, plies=1)
    await robot.say_start(table)
    await robot.play_on(table, plies=2)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def comes_back(robot: Robot) -> None:
    """Resumes its session after a dropped connection, and answers the open question."""
    table = await robot.start()
    await robot.play_on(table, plies=1)
    while not table.is_asked:
        await robot.play(table, table.board.legal()[0])
    await robot.ask(table)
    await robot.link.drop()
    await _resumed(robot)
    await robot.play(table, await robot.answer(table))
    await robot.play_on(table, plies=1)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def _resumed(robot: Robot) -> None:
    robot.forget_connection()
    hello = await robot.greeted()
    if hello.resume != robot.secret:
        await robot.welcome()
        raise FailureError(
            "the secret of the welcome in hello.resume",
            "no `resume`" if hello.resume is None else "another secret",
            "A bot comes back by sending the secret",
        )
    await robot.welcome(resumed=True)


async def waits_for_a_restart(robot: Robot) -> None:
    """Comes back after a goodbye, not before the time that it names."""
    table = await robot.start()
    await robot.play_on(table, plies=1)
    left_at = time.monotonic()
    await robot.link.say(wire.Goodbye("restart", reconnect_after=BACK_AFTER_S))
    await robot.link.close(1012)
    await _resumed(robot)
    away_s = robot.link.came_at - left_at
    if away_s < BACK_AFTER_S:
        raise FailureError(
            f"a connection after {BACK_AFTER_S:g} s",
            f"one after {away_s:.2f} s",
            "**A restart of the server** is announced",
        )
    await robot.play_on(table, plies=1)
    await robot.end(table, reason=wire.Reason.RESIGNED)


async def begins_anew(robot: Robot) -> None:
    """Greets without the secret once the server has forgotten the session."""
    await robot.link.drop()
    robot.forget_connection()
    if (await robot.greeted()).resume is None:
        await robot.welcome()
        return
    await robot.link.say(wire.Error(wire.ErrorCode.BAD_RESUME, "no such session", fatal=True))
    await robot.link.say(wire.Goodbye("bad_resume"))
    await robot.link.close(1008)
    robot.forget_connection()
    if (await robot.greeted()).resume is not None:
        raise FailureError(
            "hello without resume",
            "the secret that was refused",
            "the server keeps no session with this name and secret",
        )
    await robot.welcome()


async def stays_away(robot: Robot) -> None:
    """Does not come back once another connection has resumed its session."""
    await answers_pings(robot)  # after which it has read its welcome, and asked for what it wants
    await robot.link.say(wire.Goodbye(wire.REPLACED))
    await robot.link.close(wire.REPLACED_CLOSE)
    robot.forget_connection()
    try:
        await robot.come(within_s=STAY_AWAY_S)
    except FailureError:
        return
    raise FailureError(
        "that the bot stays away", "it connected again", "**One session, one connection.**"
    )


TAKEOVER: Final = "a replaced connection"
"""After it a bot ends, since another has its session."""
SITUATIONS: Final[Mapping[str, Situation]] = {
    "hello and welcome": greets,
    "asking for games": asks_for_games,
    "a whole game": plays_a_game,
    "the second seat": plays_second,
    "other sizes": plays_other_sizes,
    "other rules and openings": plays_other_rules,
    "extra turns": moves_again,
    "new members": ignores_what_is_new,
    "new messages": ignores_new_messages,
    "errors that are not fatal": lives_with_errors,
    "ping frames": answers_pings,
    "small clocks": keeps_small_clocks,
    "two games at once": plays_two_games,
    "provisional moves": offers_moves,
    "forced moves and ends": is_moved_for,
    "repeated messages": takes_repetitions,
    "a dropped connection": comes_back,
    "a restart of the server": waits_for_a_restart,
    "a forgotten session": begins_anew,
    TAKEOVER: stays_away,
}
FIRST: Final = "hello and welcome"


async def check(
    robot: Robot,
    bot: str,
    names: Collection[str] = (),
    shown: Callable[[int], None] = lambda _: None,
) -> ConformanceReport:
    """Put a bot through all situations, or those named; none follows a failed greeting."""
    report, situations = ConformanceReport(bot), chosen(SITUATIONS, names)
    for name, situation in situations.items():
        verdict = await _verdict(robot, name, situation)
        report.verdicts.append(verdict)
        shown(len(report.verdicts))
        if verdict.failure is not None and name == FIRST:
            break
        if _is_gone(robot, report):
            report.skipped = tuple(situations)[len(report.verdicts) :]
            break
    return report


def _is_gone(robot: Robot, report: ConformanceReport) -> bool:
    """Return whether the bot does not connect any more, so that further situations are idle."""
    tries = 1 if robot.process is None else TRIES
    last = report.verdicts[-tries:]
    return len(last) == tries and all(isinstance(it.failure, AbsentError) for it in last)


async def _verdict(robot: Robot, name: str, situation: Situation) -> Verdict:
    robot.frames.clear()
    try:
        if name != FIRST and not robot.is_connected:
            await robot.meet_again()
        return Verdict(name, note=await situation(robot) or "")
    except FailureError as failure:
        robot.drop_games()
        return Verdict(name, failure, tuple(robot.frames))
    except GoneError as gone:
        robot.drop_games()
        robot.forget_connection()
        left = FailureError(
            "that the bot stays connected",
            f"it closed the connection ({gone})",
            "**Goodbye** gives up",
        )
        return Verdict(name, left, tuple(robot.frames))
