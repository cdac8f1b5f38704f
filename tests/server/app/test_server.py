"""The whole server over real sockets: matches, peers of every kind, and what it leaves behind."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets import ConnectionClosed

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.results import GameResult, MatchResult, decode
from mancala.server.app.server import Server
from mancala.server.config.ladders import LadderSettings
from mancala.server.store import StoreError
from tests.patience import PATIENCE_S
from tests.server.peers import Arena, Peer, arena, played_out, settings
from tests.server.store import databases

RESTART = 1012

pytestmark = pytest.mark.usefixtures("database")


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    return databases.rows(databases.place_of(folder), query)


def drop_table(folder: Path, table: str) -> None:
    databases.execute(databases.place_of(folder), f"DROP TABLE {table}")


def results(folder: Path) -> list[GameResult | MatchResult]:
    found = [decode(str(row[0])) for row in rows(folder, "SELECT payload FROM outbox ORDER BY seq")]
    return [result for result in found if isinstance(result, GameResult | MatchResult)]


async def test_two_bots_play_a_match_and_all_of_it_is_kept(tmp_path: Path) -> None:
    """Moves, results and the announcements that go with them."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob", games=2)
        over = await played_out(ann, bob)
        moved = [message for message in ann.heard if isinstance(message, wire.Moved)]
    assert sum(over.score.values()) == 2
    assert rows(tmp_path, "SELECT sum(plies) FROM games") == [(len(moved),)]
    kept = results(tmp_path)
    assert [result.seq for result in kept] == [1, 2, 3]
    assert [type(result) for result in kept] == [GameResult, GameResult, MatchResult]
    assert rows(tmp_path, "SELECT reason, winner IS NULL FROM games")[0][0] == "normal"
    assert rows(tmp_path, "SELECT first_points + second_points FROM matches") == [(2.0,)]


async def send_garbage(peer: Peer, _turn: wire.Turn) -> None:
    await peer.send(b"\x00 garbage")


async def send_an_illegal_move(peer: Peer, turn: wire.Turn) -> None:
    await peer.say(wire.Move(turn.game, turn.ply, 13))


async def answer_out_of_turn(peer: Peer, turn: wire.Turn) -> None:
    await peer.say(wire.Move(turn.game, turn.ply + 1, 0))


async def send_a_frame_too_large(peer: Peer, _turn: wire.Turn) -> None:
    await peer.send(b'{"type":"seek"}' + b" " * codec.FRAME_LIMIT)


async def send_a_frame_far_too_large(peer: Peer, _turn: wire.Turn) -> None:
    await peer.send(b" " * (5 * codec.FRAME_LIMIT))


async def say_nothing(_peer: Peer, _turn: wire.Turn) -> None:
    """Wait until the clock has run out."""


async def hang_up(peer: Peer, _turn: wire.Turn) -> None:
    await peer.hang_up()


@pytest.mark.parametrize(
    ("misbehave", "reason", "fact"),
    [
        (send_garbage, wire.Reason.PROTOCOL, "received"),
        (send_an_illegal_move, wire.Reason.ILLEGAL, "legal"),
        (answer_out_of_turn, wire.Reason.PROTOCOL, "pit"),
        (send_a_frame_too_large, wire.Reason.PROTOCOL, "received"),
        (send_a_frame_far_too_large, wire.Reason.PROTOCOL, "detail"),
        (say_nothing, wire.Reason.TIMEOUT, "allowed_ms"),
        (hang_up, wire.Reason.DISCONNECTED, "elapsed_ms"),
    ],
)
async def test_misbehaviour_has_its_name_and_evidence_and_hurts_no_other_game(
    tmp_path: Path,
    misbehave: Callable[[Peer, wire.Turn], Awaitable[None]],
    reason: wire.Reason,
    fact: str,
) -> None:
    """The opponent wins with the facts in hand; a match at the next table is played to its end."""
    clock = TimeControl(move_ms=500 if reason is wire.Reason.TIMEOUT else 120_000)
    async with arena(tmp_path, clock=clock, grace_s=0.1) as running:
        ann, bob = await running.pair("ann", "bob")
        others = await running.pair("cyd", "dan", clock=TimeControl(move_ms=120_000))
        playing = asyncio.gather(*(peer.play_until(wire.GameOver) for peer in others))
        await misbehave(ann, await ann.hear(wire.Turn))
        over = await bob.hear(wire.GameOver)
        assert (over.winner, over.reason) == (1, reason)
        assert over.evidence is not None
        assert over.evidence.player == 0
        assert getattr(over.evidence, fact) is not None
        assert {end.reason for end in await playing} == {wire.Reason.NORMAL}
        assert not any(isinstance(message, wire.Error) for peer in others for message in peer.heard)
    assert {result.reason for result in results(tmp_path) if isinstance(result, GameResult)} == {
        *(reason, wire.Reason.NORMAL)
    }


async def test_a_bot_reads_why_it_lost_before_the_goodbye(tmp_path: Path) -> None:
    """The game's end with its evidence comes first, then the fatal error and the goodbye."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        await ann.hear(wire.Turn)
        await ann.send(b"%&$")
        over = await ann.hear(wire.GameOver)
        assert (over.winner, over.reason) == (1, wire.Reason.PROTOCOL)
        assert over.evidence is not None
        assert over.evidence.received == "%&$"
        assert (await ann.hear(wire.Error)).fatal
        await ann.hear(wire.Goodbye)
        await bob.hear(wire.GameOver)


async def test_the_connection_that_a_session_leaves_is_told_so(tmp_path: Path) -> None:
    """``goodbye`` with the reason ``replaced``, no time to come back, and a code of its own."""
    async with arena(tmp_path) as running:
        first = await running.greet("ann")
        second = await running.greet("ann", resume=first.secret)
        assert second.last(wire.Welcome).resumed
        goodbye = await first.hear(wire.Goodbye)
        assert (goodbye.reason, goodbye.reconnect_after) == ("replaced", None)
        assert await first.hear_close() == wire.REPLACED_CLOSE


async def test_who_broke_the_protocol_is_gone_though_its_connection_lingers(tmp_path: Path) -> None:
    """Its opponent has won, and its name is free, before it deigns to hang up."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        await ann.hear(wire.Turn)
        ann.break_the_protocol_and_stay()
        over = await bob.hear(wire.GameOver)
        again = await running.greet("ann")
    assert (over.winner, over.reason) == (1, wire.Reason.PROTOCOL)
    assert not again.last(wire.Welcome).resumed


async def test_a_killed_bot_comes_back_and_finishes(tmp_path: Path) -> None:
    """The seat is taken back with the session's secret, from another connection."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        turn = await ann.hear(wire.Turn)
        await ann.hang_up()
        again = await running.greet("ann", resume=ann.secret)
        assert (await again.hear(wire.GameStart)).game == turn.game
        over, _ = await asyncio.gather(
            again.play_until(wire.GameOver), bob.play_until(wire.GameOver)
        )
    assert over.reason is wire.Reason.NORMAL


async def test_a_spectator_sees_every_move(tmp_path: Path) -> None:
    """The same moves as the players, in the same order."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        eve = await running.greet("eve")
        await eve.say(wire.Watch((await ann.hear(wire.GameStart)).game))
        await eve.hear(wire.GameStart)
        await asyncio.gather(*(peer.play_until(wire.GameOver) for peer in (ann, bob, eve)))
    seen, played = ([m for m in peer.heard if isinstance(m, wire.Moved)] for peer in (eve, bob))
    assert seen == played


async def play_a_while(running: Arena) -> tuple[Peer, Peer, int]:
    """Begin a match and play some moves; gives the number of the open question."""
    ann, bob = await running.pair("ann", "bob", games=2)
    turn = await ann.hear(wire.Turn)
    while turn.ply < 5:
        mover = ann if ann.heard[-1] is turn else bob
        await mover.say(wire.Move(turn.game, turn.ply, turn.legal[-1]))
        moved, _ = await asyncio.gather(ann.hear(wire.Moved), bob.hear(wire.Moved))
        turn = await (ann if moved.state.current_player == 0 else bob).hear(wire.Turn)
    return ann, bob, turn.ply


async def test_a_stopped_servers_games_go_on_under_the_next(tmp_path: Path) -> None:
    """Bots hear when to come back; position, moves and sessions are there when they do."""
    async with arena(tmp_path) as running:
        ann, bob, ply = await play_a_while(running)
    for peer in (ann, bob):
        assert await peer.hear_close() == RESTART
        assert peer.last(wire.Goodbye).reconnect_after == pytest.approx(1.0)
    async with arena(tmp_path) as running:
        again = [
            await running.greet(name, resume=peer.secret)
            for name, peer in (("ann", ann), ("bob", bob))
        ]
        starts = [await peer.hear(wire.GameStart) for peer in again]
        assert [len(start.moves) for start in starts] == [ply, ply]
        over = await played_out(*again)
    assert sum(over.score.values()) == 2
    assert rows(tmp_path, "SELECT count(*) FROM games WHERE ended_at IS NULL") == [(0,)]


async def test_a_restart_forgets_no_new_name_of_an_address(tmp_path: Path) -> None:
    """What an address may do a few times a day is counted in the store: further names wait."""
    ladder = LadderSettings(name="main", guests_a_day=2)
    are_rated = []
    for names in (("ann", "bob"), ("cy", "dan")):
        async with arena(tmp_path, ladder=(ladder,)) as running:
            peers = [await running.greet(name) for name in names]
            for peer in peers:
                await peer.say(wire.Join("main"))
            are_rated += [(await peer.hear(wire.GameStart)).rated for peer in peers]
    assert are_rated == [True, True, False, False]


async def test_running_games_may_finish_before_the_server_stops(tmp_path: Path) -> None:
    """Within the time configured; the match's further games are kept for later."""
    async with arena(tmp_path, drain_s=PATIENCE_S) as running:
        ann, bob = await running.pair("ann", "bob", games=2)
        turn = await ann.hear(wire.Turn)
        await ann.say(wire.Move(turn.game, turn.ply, turn.legal[-1]))
        playing = [asyncio.create_task(peer.play_until(wire.GameOver)) for peer in (ann, bob)]
    ends = await asyncio.gather(*playing)
    assert {end.reason for end in ends} == {wire.Reason.NORMAL}
    assert rows(tmp_path, "SELECT count(*) FROM matches WHERE ended_at IS NULL") == [(1,)]


KILLED = """
import asyncio, sys
from pathlib import Path
from mancala.server.app.server import Server
from tests.server.peers import settings

async def main():
    async with Server(settings(Path(sys.argv[1]), store=sys.argv[2])) as server:
        print(server.url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_no_announced_move_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    """After kill -9 the next server knows everything that any bot was told."""
    where = str(tmp_path), databases.place_of(tmp_path)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, *where, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    try:
        url = (await child.stdout.readline()).decode().strip()
        ann, bob, ply = await play_a_while(Arena(url))
    finally:
        child.send_signal(signal.SIGKILL)
        await child.communicate()
    secrets = {"ann": ann.secret, "bob": bob.secret}
    for peer in (ann, bob):
        await peer.hang_up()
    async with arena(tmp_path) as running:
        again = [await running.greet(name, resume=secret) for name, secret in secrets.items()]
        starts = [await peer.hear(wire.GameStart) for peer in again]
        assert [len(start.moves) for start in starts] == [ply, ply]
        over = await played_out(*again)
    assert sum(over.score.values()) == 2


async def test_two_servers_never_share_a_store(tmp_path: Path) -> None:
    """The second is refused before it touches anything."""
    async with arena(tmp_path):
        with pytest.raises(StoreError, match="in use"):
            await Server(settings(tmp_path)).__aenter__()


async def test_the_blocks_own_error_comes_out_as_it_is(tmp_path: Path) -> None:
    """A program around the server sees its own exception, not a group."""
    with pytest.raises(LookupError, match="mine"):
        async with arena(tmp_path):
            raise LookupError("mine")


async def test_a_store_that_fails_ends_the_server(tmp_path: Path) -> None:
    """What can't be made durable isn't announced, and no game goes on."""
    heard: list[wire.Message] = []

    async def play() -> None:
        async with arena(tmp_path) as running:
            ann, _ = await running.pair("ann", "bob")
            turn = await ann.hear(wire.Turn)
            drop_table(tmp_path, "moves")
            await ann.say(wire.Move(turn.game, turn.ply, 0))
            with suppress(ConnectionClosed):
                await ann.hear(wire.Moved)
            heard.extend(ann.heard)

    with pytest.raises(StoreError, match="moves"):
        await play()
    assert not any(isinstance(message, wire.Moved) for message in heard)


async def test_each_port_is_open_at_the_address_that_its_setting_names(tmp_path: Path) -> None:
    """The page and the health port may be reached where bots are not."""
    hosts = {"host": "127.0.0.2", "http_host": "127.0.0.3", "health_host": "127.0.0.4"}
    async with arena(tmp_path, http_port=0, health_port=0, **hosts) as running:
        server = running.server
        urls = server.url, server.http_url, server.health_url
        assert [urlsplit(url or "").hostname for url in urls] == [*hosts.values()]
        for parts in (urlsplit(url or "") for url in urls):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
            writer.close()
