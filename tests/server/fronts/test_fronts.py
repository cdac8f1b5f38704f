"""A server whose sockets are held by fronts, and fronts that end or break the wire."""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import Process
from pathlib import Path

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import (
    Error,
    ErrorCode,
    GameOver,
    Goodbye,
    MatchOver,
    Reason,
    Turn,
)
from mancala.server.config.settings import Limits
from mancala.server.fronts.fronts import FrontEnd
from mancala.server.fronts.relayed import RelayedConnection
from mancala.server.net.seat import SocketSeat
from tests.patience import until
from tests.server import peers
from tests.server.peers import Arena, Peer

SHORT = TimeControl(move_ms=1000)
"""Over before a process has started anew on a busy machine."""


def connection_of(arena: Arena, name: str) -> RelayedConnection:
    """Return the server's end of a bot's connection."""
    player = arena.server._sessions.find(name)
    assert player is not None
    assert isinstance(player.seat, SocketSeat)
    connection = player.seat._connection
    assert isinstance(connection, RelayedConnection)
    return connection


def front_of(arena: Arena, name: str) -> Process:
    """Return the process of the front that holds a bot's socket."""
    front = connection_of(arena, name).transport.front
    assert isinstance(front, FrontEnd)
    fronts = arena.server._fronts
    assert fronts is not None
    (process,) = [each._process for each in fronts._supervisors if each._link is front._link]
    assert isinstance(process, Process)
    return process


async def come_back(arena: Arena, name: str, peer: Peer) -> Peer:
    """Resume the session of a bot that was disconnected."""
    await peer.hear_close()
    return await arena.greet(name, resume=peer.secret)


async def test_a_front_that_is_killed_loses_no_game(tmp_path: Path) -> None:
    """The clock of its bot stands until it is back, for longer than a turn may take."""
    limits = Limits(connections_per_address=3, exempt=())
    async with peers.arena(tmp_path, fronts=2, limits=limits) as running:
        ann, bob = await running.pair("ann", "bob", clock=SHORT)
        turn = await ann.hear(Turn)
        players = {"ann": ann, "bob": bob}
        killed = front_of(running, "ann")
        killed.send_signal(signal.SIGHUP)  # of a terminal that closes
        await (await ann._socket.ping())
        away = [name for name in players if front_of(running, name) is killed]
        killed.kill()
        await ann.hear_close()
        table = running.server._sessions.tables.by_game[turn.game]
        await until(lambda: table._awaited)
        assert table._referee.flag_at is None, "its clock stands"
        for name in away:
            players[name] = await come_back(running, name, players[name])
        over = await asyncio.gather(*(each.play_until(MatchOver) for each in players.values()))
        assert over[0].match == over[1].match
        assert players["bob"].last(GameOver).reason is Reason.NORMAL
        eve = await running.greet("eve")
        extra = await running.connect()
        assert (await extra.hear(Error)).code is ErrorCode.LIMIT, "over all fronts together"
        await extra.hear(Goodbye)
        fronts = running.server._fronts
        assert fronts is not None
        await until(lambda: len(fronts.ages_s) == 2)
        assert killed not in {each._process for each in fronts._supervisors}
    assert await eve.hear_close() == 1012
