"""A server whose sockets are held by fronts, and fronts that end or break the wire."""

import asyncio
import signal
import socket
from asyncio.subprocess import Process
from pathlib import Path

import pytest

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Error, ErrorCode, GameOver, Goodbye, MatchOver, Reason, Turn
from mancala.server.config.settings import Config, ConfigError, Limits, LiveConfig
from mancala.server.fronts import wire
from mancala.server.fronts.fronts import FrontEnd, Fronts
from mancala.server.fronts.process import _certificate
from mancala.server.fronts.relayed import RelayedConnection
from mancala.server.net import tls
from mancala.server.net.limits.connection_filter import ConnectionFilter
from tests.patience import until
from tests.server import peers
from tests.server.fakes import KeptLog
from tests.server.net.test_listener import TLS, certificate, copied
from tests.server.peers import Arena, Peer, seat_of

SHORT = TimeControl(move_ms=1000)
"""Over before a process has started anew on a busy machine."""


def end_of(arena: Arena, name: str) -> FrontEnd:
    connection = seat_of(arena.server, name)._connection
    assert isinstance(connection, RelayedConnection)
    front = connection.transport.front
    assert isinstance(front, FrontEnd)
    return front


def front_of(arena: Arena, name: str) -> Process:
    front = end_of(arena, name)
    fronts = arena.server._fronts
    assert fronts is not None
    (process,) = [each._process for each in fronts._supervisors if each._link is front._link]
    assert isinstance(process, Process)
    return process


async def come_back(arena: Arena, name: str, peer: Peer) -> Peer:
    await peer.hear_close()
    return await arena.greet(name, resume=peer.secret)


async def test_a_front_that_is_killed_loses_no_game(tmp_path: Path) -> None:
    """The clock of its bot stands until it is back, also if the flag was to fall meanwhile."""
    limits = Limits(connections_per_address=3, exempt=())
    async with peers.arena(tmp_path, fronts=2, limits=limits) as running:
        ann, bob = await running.pair("ann", "bob", clock=SHORT)
        turn = await ann.hear(Turn)
        players = {"ann": ann, "bob": bob}
        killed = front_of(running, "ann")
        killed.send_signal(signal.SIGHUP)  # of a terminal that closes
        await (await ann._socket.ping())
        away = [name for name in players if front_of(running, name) is killed]
        killed.send_signal(signal.SIGSTOP)
        held = end_of(running, "ann")
        await until(lambda: held._waiting)  # the flag is to fall
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


def fronts_of(config: Config) -> Fronts:
    """Return fronts that were never started."""
    loop = asyncio.get_running_loop()
    return Fronts(LiveConfig(config), KeptLog(), max, lambda work, _name: loop.create_task(work))


async def test_a_front_that_is_replaced_has_the_certificate_of_the_server(tmp_path: Path) -> None:
    """The files may hold half of a renewed one by then."""
    own, files = copied(tmp_path)
    fronts = fronts_of(Config(tls=own))
    files[0].write_bytes((TLS / "renewed.pem").read_bytes())
    handover = codec.from_json(codec.to_json(fronts._handover()), wire.FrontHandover)
    with pytest.raises(ConfigError):
        tls.context_of(fronts._live.now.tls)
    with _certificate(handover.settings) as given:
        assert tls.context_of(given) is not None
    fronts._live.now = Config(tls=certificate("renewed"))
    fronts.reload()
    assert fronts._handover().settings.pem == tls.read(certificate("renewed"))


async def test_an_address_that_a_lost_front_had_ignored_is_heard_by_the_next_one() -> None:
    """The kernel's list belongs to the socket, which outlives the front."""
    fronts = fronts_of(Config())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        fronts._listening = [listening]
        ConnectionFilter(listening)._set((bytes((127, 0, 0, 1)),))
        fronts._handover()
        with socket.create_connection(listening.getsockname(), timeout=0.9):
            pass
