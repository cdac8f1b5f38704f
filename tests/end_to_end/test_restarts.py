"""A restart of the server costs no game of its house bots, and gives none to their opponents."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Final

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from tests.end_to_end.arena import Hosted, hosted
from tests.patience import PATIENCE_S, WALK_S
from tests.server.peers import Peer, wire_peer

CLOCK: Final = TimeControl(move_ms=1000 * round(PATIENCE_S))
STOPPED_AT_PLY: Final = 6
POLL_S: Final = 0.1
SETTINGS: Final = """
grace_s = 5.0
drain_s = %g
[[ladder]]
name = "main"
[ladder.house]
home = "%s"
"""
LATE: Final = """
import os, sys, time
for line in sys.stdin:
    while os.path.exists(sys.argv[1]):
        time.sleep(0.05)
    board = [int(part) for part in line[1 : line.index(">")].split(",")]
    print(next(pit for pit, seeds in enumerate(board[3 : 3 + board[0]]) if seeds))
    print("done", flush=True)
"""
"""A program that takes as long to start as a file exists; it sows its first pit with seeds."""


async def test_a_game_with_a_house_bot_that_comes_back_late_goes_on(tmp_path: Path) -> None:
    """At ply 6 the server stops; after its start the house needs longer than the grace time.

    Another game shows when that is over: its student does not come back, and so it ends.
    """
    program, gate = tmp_path / "late.py", tmp_path / "gate"
    program.write_text(LATE)
    settings = SETTINGS % (0.1, f"cmd:{sys.executable} {program} {gate}")
    async with asyncio.timeout(WALK_S):
        async with (
            hosted(tmp_path, settings) as host,
            wire_peer(host.url, "student") as student,
            wire_peer(host.url, "other") as other,
        ):
            start, other_start = await begin(student), await begin(other)
            await play(student, until=STOPPED_AT_PLY)
            await stop(host)
        gate.touch()
        async with (
            hosted(tmp_path, settings) as host,
            wire_peer(host.url, "student", resume=student.secret) as student,
        ):
            await answer(student, await student.hear(wire.Turn))
            await student.say(wire.Watch(game=other_start.game))
            assert (await student.hear(wire.GameOver)).game == other_start.game
            gate.unlink()
            over = await play(student)
    assert isinstance(over, wire.GameOver)
    assert (over.game, over.reason) == (start.game, wire.Reason.NORMAL)


async def test_a_server_that_stops_begins_nothing_and_its_house_plays_on(tmp_path: Path) -> None:
    """The signal comes at ply 6: the game ends by the rules, and the next one does not begin."""
    settings = SETTINGS % (PATIENCE_S, "greedy")
    async with (
        asyncio.timeout(WALK_S),
        hosted(tmp_path, settings) as host,
        wire_peer(host.url, "student") as student,
    ):
        await begin(student)
        turn = await play(student, until=STOPPED_AT_PLY)
        assert isinstance(turn, wire.Turn)
        host.child.process.send_signal(signal.SIGTERM)
        await answer(student, turn)
        over = await play(student)
        assert isinstance(over, wire.GameOver)
        assert over.reason is wire.Reason.NORMAL
        assert isinstance(await student.hear(wire.GameStart | wire.Goodbye), wire.Goodbye)  # type: ignore[arg-type]  # either
        await host.child.process.wait()


async def begin(student: Peer) -> wire.GameStart:
    while True:
        await student.say(wire.Challenge("home", clock=CLOCK, games=2))
        heard = await student.hear(wire.Challenged | wire.Error)  # type: ignore[arg-type]  # either
        if isinstance(heard, wire.Challenged):
            return await student.hear(wire.GameStart)
        await asyncio.sleep(POLL_S)  # the house is connecting


async def play(student: Peer, *, until: int | None = None) -> wire.Turn | wire.GameOver:
    while True:
        heard = await student.hear(wire.Turn | wire.GameOver)  # type: ignore[arg-type]  # either
        if isinstance(heard, wire.GameOver) or (until is not None and heard.ply >= until):
            return heard
        await answer(student, heard)


async def answer(student: Peer, turn: wire.Turn) -> None:
    await student.say(wire.Move(turn.game, turn.ply, turn.legal[0]))


async def stop(host: Hosted) -> None:
    host.child.process.send_signal(signal.SIGTERM)
    await host.child.process.wait()
