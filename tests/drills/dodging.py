"""``python -m tests.drills.dodging``: bots that leave a ladder's matches before their first move.

First one bot tries it again and again, each time as a new version, with no pause between: only the
first three departures may be free, the others must be lost or refused, and its rating must not
rise. Then a number of guests do nothing else, under the usual pauses, beside bots that play: those
must keep their games.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Annotated, Final, NamedTuple

import typer
from websockets.asyncio.client import ClientConnection

from mancala.protocol import codec
from mancala.protocol import messages as wire
from tests.drills.databases import Database
from tests.drills.hosting import SQLITE_FILES, HostedServer, temporary_server
from tests.drills.members import LADDER, REFUSED, ladder_settings
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.drills.spell import spell
from tests.patience import PATIENCE_S, connect

FREE: Final = 3
MOST_MATCHES: Final = 2 * (FREE + 1)
"""Matches of one dodger: two that meet leave one match, which counts for one of them."""
PAUSE_S: Final = 3600.0
"""Longer than any run, so that how long a run takes does not decide who is paired again."""
PLAYED: Final = {"normal", "majority"}
AGAIN_S: Final = 0.05
SETTINGS: Final = ladder_settings(
    "clock = {{ move_ms = 60000 }}",
    "guest_pool = false",
    "departure_pause_s = {pause_s}",
    "versions_a_day = 10000",
    limits=f'exempt = ["{HOST}/32"]',
)


class DodgingPlan(NamedTuple):
    """The size of the drill.

    Attributes:
        games: least number of games in each measurement, however long they take.
        share: least share of their games that the bots must keep beside the dodgers; 0 where
            numbers of games say nothing, because a measurement ends with the last of `games`.
    """

    attempts: Annotated[int, typer.Option(min=1, help="Departures of one bot.")] = 200
    dodgers: Annotated[int, typer.Option(min=1, help="Guests that leave every match.")] = 16
    bots: Annotated[int, typer.Option(min=2, help="Bots that play.")] = 8
    seconds: Annotated[float, typer.Option(min=0.1, help="Length of each measurement.")] = 30.0
    games: int = 1
    share: float = 0.9
    seed: SeedOption = 1


async def drill(plan: DodgingPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Leave matches of a ladder before the first move, beside bots that play."""
    async with temporary_server(SETTINGS.format(pause_s=0.0), where) as life:
        answers = await _insist(life, plan.attempts)
    async with temporary_server(SETTINGS.format(pause_s=PAUSE_S), where) as life:
        quiet, beside, matches = await _play_beside(life, plan)
    kept = beside / max(1, quiet)
    figures = {
        "attempts": plan.attempts,
        **dict(answers),
        "dodgers": plan.dodgers,
        "matches_left_by_dodgers": matches,
        "games_quiet": quiet,
        "games_beside_dodgers": beside,
        "games_kept": round(kept, 3),
    }
    promises = {
        "only the first departures are free": 0 < answers["aborted"] <= FREE,
        "all others are lost or refused": (
            answers["aborted"] + answers["lost"] + answers["refused"] == plan.attempts
        ),
        f"playing bots keep {plan.share:.0%} of their games": kept >= plan.share
        and beside >= plan.games,
        "dodgers are not paired again and again": matches <= MOST_MATCHES * plan.dodgers,
    }
    return DrillReport("dodging", plan.seed, figures, promises)


async def _insist(life: HostedServer, attempts: int) -> Counter[str]:
    """Leave match after match of an honest bot; count what came of it, as that bot saw it."""
    ends: asyncio.Queue[wire.GameOver] = asyncio.Queue()
    answers: Counter[str] = Counter()
    async with asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(honest(life.url, "honest", ends), name="honest")
        for number in range(attempts):
            if await dodge(life.url, "dodger", str(number)):
                over = await asyncio.wait_for(ends.get(), PATIENCE_S)
                answers["aborted" if over.winner is None else "lost"] += 1
            else:
                answers["refused"] += 1
        playing.cancel()
    return answers


async def _play_beside(life: HostedServer, plan: DodgingPlan) -> tuple[int, int, int]:
    """Return the honest games of a quiet time, of one beside dodgers, and the matches dodged.

    The quiet time is the mean of those before and after: a ladder of many games is slower.
    """
    ends: asyncio.Queue[wire.GameOver] = asyncio.Queue()
    matches: Counter[str] = Counter()
    async with asyncio.TaskGroup() as tasks:
        running = [
            tasks.create_task(honest(life.url, f"honest-{number}", ends))
            for number in range(plan.bots)
        ]
        before = await _count(ends, plan)
        dodging = [
            tasks.create_task(_keep_dodging(life.url, f"dodger-{number}", matches))
            for number in range(plan.dodgers)
        ]
        beside = await _count(ends, plan)
        for task in dodging:
            task.cancel()
        after = await _count(ends, plan)
        for task in running:
            task.cancel()
    return (before + after) // 2, beside, matches.total()


async def _count(ends: asyncio.Queue[wire.GameOver], plan: DodgingPlan) -> int:
    _taken(ends)
    over: set[str] = set()

    def played() -> int:
        over.update(end.game for end in _taken(ends) if end.reason in PLAYED)
        return len(over)

    await spell(plan.seconds, lambda: played() >= plan.games)
    return played()


def _taken(ends: asyncio.Queue[wire.GameOver]) -> list[wire.GameOver]:
    return [ends.get_nowait() for _ in range(ends.qsize())]


async def _keep_dodging(url: str, name: str, matches: Counter[str]) -> None:
    while True:
        with suppress(*REFUSED):
            matches[name] += await dodge(url, name, "")
        await asyncio.sleep(AGAIN_S)


async def join(socket: ClientConnection, hello: wire.Hello) -> None:
    await socket.send(codec.encode(hello), text=True)
    await socket.recv()  # welcome, or the error that ends the connection
    await socket.send(codec.encode(wire.Join(LADDER)), text=True)


async def dodge(url: str, name: str, version: str) -> bool:
    """Join, and leave as soon as a game begins; return False if the ladder refuses the bot."""
    async with asyncio.timeout(PATIENCE_S), connect(url) as socket:
        await join(socket, wire.Hello(wire.VERSION, name, agent=wire.Agent("drill", version)))
        async for frame in socket:
            message = codec.decode_server(frame)
            if isinstance(message, wire.GameStart):
                await socket.send(codec.encode(wire.Goodbye()), text=True)
                await socket.wait_closed()
                return True
            if isinstance(message, wire.Error) and message.code != "limit":
                return False
    return False


async def honest(url: str, name: str, ends: asyncio.Queue[wire.GameOver]) -> None:
    """Play every turn immediately, for ever; hand on the ends of games."""
    async with connect(url) as socket:
        await join(socket, wire.Hello(wire.VERSION, name))
        async for frame in socket:
            match codec.decode_server(frame):
                case wire.Turn() as turn:
                    answer: wire.Message = wire.Move(turn.game, turn.ply, turn.legal[0])
                    await socket.send(codec.encode(answer), text=True)
                case wire.GameOver() as over:
                    ends.put_nowait(over)
                case _:
                    pass


if __name__ == "__main__":
    command_line(drill)
