"""Frames that are no messages, messages out of place, and peers that don't read."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.server.config.settings import Limits
from mancala.server.net.connection import Connection
from tests.patience import PATIENCE_S, connect
from tests.server import peers
from tests.server.peers import Arena, seat_of

PROTOCOL_ERROR = 1002
POLICY_VIOLATION = 1008
TOO_BIG = 1009


@pytest.fixture
async def arena(tmp_path: Path) -> AsyncIterator[Arena]:
    """A server that waits a tenth of a second for hello, and lets little pile up."""
    limits = Limits(handshake_s=0.1, outgoing_bytes=64 * 1024)
    async with peers.arena(tmp_path, limits=limits) as running:
        yield running


async def test_the_subprotocol_is_taken_up_when_offered_and_not_demanded(arena: Arena) -> None:
    """Clients may offer ours among others, or nothing at all."""
    async with connect(arena.url, subprotocols=["other", wire.VERSION]) as socket:  # type: ignore[list-item]  # plain strings do
        assert socket.subprotocol == wire.VERSION
    await arena.greet("ann")


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"hello?", wire.ErrorCode.NOT_JSON),
        (b"\xff\xfe", wire.ErrorCode.NOT_JSON),
        (b"[" * 10_000, wire.ErrorCode.INVALID),
        (b'{"type":"hello","name":1e400}', wire.ErrorCode.INVALID),
        (b'{"type":"move","game":"g","ply":0,"pit":true}', wire.ErrorCode.INVALID),
        (b'{"no":"type"}', wire.ErrorCode.INVALID),
        (b'{"type":"seek","x":"' + b"x" * codec.FRAME_LIMIT + b'"}', wire.ErrorCode.TOO_LARGE),
        (codec.encode(wire.Hello(wire.VERSION, "again")), wire.ErrorCode.OUT_OF_PLACE),
    ],
)
async def test_nonsense_is_answered_with_a_fatal_error_and_goodbye(
    arena: Arena, frame: bytes, code: wire.ErrorCode
) -> None:
    """One error that says what was wrong, then the connection is closed, and no other one.

    Nonsense before a greeting does the same; only a hello has its place there.
    """
    other = await arena.greet("bob")
    peers = [await arena.greet("ann")]
    peers += [await arena.connect()] * (code is not wire.ErrorCode.OUT_OF_PLACE)
    for peer in peers:
        await peer.send(frame)
        error = await peer.hear(wire.Error)
        assert (error.code, error.fatal) == (code, True)
        assert (await peer.hear(wire.Goodbye)).reason == code
        assert await peer.hear_close() == POLICY_VIOLATION
    await other.say(wire.Seek())
    await other.hear(wire.Seeking)


async def test_a_frame_far_too_large_closes_the_connection(arena: Arena) -> None:
    """It isn't even read to the end."""
    peer = await arena.greet("ann")
    await peer.send(b"x" * (5 * codec.FRAME_LIMIT))
    assert await peer.hear_close() == TOO_BIG


async def test_a_close_frame_of_a_proxy_loses_no_game(arena: Arena) -> None:
    """Caddy 2.6 sends the server one without a mask when it is reloaded; it once lost all games."""
    ann, bob = await arena.pair("ann", "bob")
    await ann.hear(wire.Turn)
    secret = ann.secret
    ann.write(b"\x88\x02\x03\xe9")
    assert await ann.hear_close() == PROTOCOL_ERROR
    again = await arena.greet("ann", resume=secret)
    await again.say(wire.Resign((await again.hear(wire.GameStart)).game))
    assert (await bob.hear(wire.GameOver)).reason is wire.Reason.RESIGNED


async def test_an_unknown_type_is_answered_and_forgiven(arena: Arena) -> None:
    """A later version's client can still talk to this one."""
    peer = await arena.greet("ann")
    await peer.send(b'{"type":"dance"}')
    error = await peer.hear(wire.Error)
    assert (error.code, error.fatal) == (wire.ErrorCode.UNKNOWN_TYPE, False)
    await peer.say(wire.Seek())
    await peer.hear(wire.Seeking)


@pytest.mark.parametrize("message", [wire.Move("other", 0, 0), wire.Resign("other")])
async def test_a_word_on_a_game_never_begun_here_is_refused_and_forgiven(
    arena: Arena, message: wire.Message
) -> None:
    """It happens to a bot that resumed after its game had ended."""
    peer = await arena.greet("ann")
    await peer.say(message)
    error = await peer.hear(wire.Error)
    assert (error.code, error.ref, error.fatal) == (wire.ErrorCode.UNKNOWN_GAME, "other", False)


async def test_a_binary_frame_is_read_like_a_text_frame(arena: Arena) -> None:
    """Some libraries send bytes as binary; the bytes are what counts."""
    peer = await arena.greet("ann")
    await peer.send(b'{"type":"seek"}', text=False)
    await peer.hear(wire.Seeking)


async def test_a_message_in_fragments_is_read_like_a_whole_one(arena: Arena) -> None:
    """However small they are, and with another message right behind."""
    peer = await arena.greet("ann")
    whole = codec.encode(wire.Seek(games=4)).decode()
    await peer.send_in_pieces([whole[:9], "", whole[9:12], whole[12:]])
    assert (await peer.hear(wire.Seeking)).games == 4
    await peer.send_in_pieces([whole[:1], whole[1:]])
    await peer.hear(wire.Seeking)


@pytest.mark.parametrize("said", [b"", b'{"type":"dance"}'])
async def test_a_client_without_a_timely_hello_is_sent_away(arena: Arena, said: bytes) -> None:
    """Silence and small talk alike."""
    peer = await arena.connect()
    if said:
        await peer.send(said)
        await peer.hear(wire.Error)
    error = await peer.hear(wire.Error)
    assert (error.code, error.fatal) == (wire.ErrorCode.TIMEOUT, True)
    await peer.hear_close()


async def test_anything_before_hello_is_out_of_place(arena: Arena) -> None:
    """The first word is hello."""
    peer = await arena.connect()
    await peer.say(wire.Seek())
    assert (await peer.hear(wire.Error)).code is wire.ErrorCode.OUT_OF_PLACE


async def test_goodbye_is_answered_and_the_connection_closed(arena: Arena) -> None:
    """Both say it, then the socket closes normally."""
    peer = await arena.greet("ann")
    await peer.say(wire.Goodbye())
    await peer.hear(wire.Goodbye)
    assert await peer.hear_close() == 1000


async def test_a_bot_that_many_challenge_pays_nothing_for_its_refusals(tmp_path: Path) -> None:
    """Fifty refusals would use up its budget; but each challenge prepays the answer."""
    limits = Limits(messages_per_s=0.1, messages_burst=40)
    async with peers.arena(tmp_path, limits=limits) as running:
        bob = await running.greet("bob")
        for number in range(10):
            challenger = await running.greet(f"ann-{number}")
            for _ in range(5):
                await challenger.say(wire.Challenge("bob"))
                await bob.say(wire.Decline((await bob.hear(wire.Challenged)).challenge))
                await challenger.hear(wire.Error)
        await bob.say(wire.Seek())
        await bob.hear(wire.Seeking)


async def test_a_spectator_that_never_reads_is_cut_off_and_the_game_goes_on(arena: Arena) -> None:
    """What piles up for it is bounded."""
    ann, bob = await arena.pair("ann", "bob")
    turn = await ann.hear(wire.Turn)
    eve = await arena.greet("eve")
    await eve.say(wire.Watch(turn.game))
    await eve.hear(wire.GameStart)
    eve._socket.transport.pause_reading()
    connection = seat_of(arena.server, "eve")._connection
    while connection.transport.get_write_buffer_size() <= 64 * 1024:
        connection.transport.write(b"x" * 16_000)
    await ann.say(wire.Move(turn.game, turn.ply, turn.legal[-1]))
    await bob.hear(wire.Turn)
    async with asyncio.timeout(PATIENCE_S):
        await connection.wait_closed()


async def test_the_lag_of_players_is_measured_from_the_start_of_their_game_to_its_end(
    arena: Arena,
) -> None:
    """A viewer's is not, since no clock needs it."""
    ann, bob = await arena.pair("ann", "bob")
    turn = await ann.hear(wire.Turn)
    eve = await arena.greet("eve")
    await eve.say(wire.Watch(turn.game))
    await eve.hear(wire.GameStart)
    assert [_plays(arena, name) for name in ("ann", "bob", "eve")] == [True, True, False]
    await ann.say(wire.Resign(turn.game))
    await bob.hear(wire.GameOver)
    assert not _plays(arena, "bob")


def _plays(arena: Arena, name: str) -> bool:
    connection = seat_of(arena.server, name)._connection
    assert isinstance(connection, Connection)
    return connection._plays


async def test_a_player_that_watches_too_much_loses_no_time_in_its_own_game(arena: Arena) -> None:
    """It is shown nothing more of the other game, and its own moves are read as before."""
    ann, bob = await arena.pair("ann", "bob")
    cid, dora = await arena.pair("cid", "dora")
    other, own = await ann.hear(wire.Turn), await cid.hear(wire.Turn)
    assert seat_of(arena.server, "cid").charge_shown(1e9) > 0
    await cid.say(wire.Watch(other.game))
    await cid.hear(wire.GameStart)
    await ann.say(wire.Move(other.game, other.ply, other.legal[-1]))
    assert (await bob.hear(wire.Moved)).ply == other.ply
    await cid.say(wire.Move(own.game, own.ply, own.legal[-1]))
    assert (await dora.hear(wire.Moved)).ply == own.ply
    assert (await cid.hear(wire.Moved)).game == own.game
