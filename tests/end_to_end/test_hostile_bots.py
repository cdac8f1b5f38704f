"""Bots that break the protocol get their named end, and no other bot is affected."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mancala.bot import GameResult, Turn, run
from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Evidence, GameStart, Move, Reason, Seek
from mancala.protocol.messages import Turn as Question
from mancala.protocol.rules import KALAH
from tests.end_to_end.arena import Hosted, HungUpError, WirePeer, hosted
from tests.patience import PATIENCE_S

MOVE_MS = 60_000
SHORT_MS = 3000

Deed = Callable[[WirePeer, GameStart, Question | None], Awaitable[None]]


async def first_pit(turn: Turn) -> int:
    return turn.legal[0]


async def garbage(peer: WirePeer, _began: GameStart, _turn: Question | None) -> None:
    await peer.shout("{ sow everything }")


async def oversized(peer: WirePeer, _began: GameStart, _turn: Question | None) -> None:
    """Send a frame larger than the protocol allows."""
    await peer.shout('{"type":"seek","opponent":"' + "x" * codec.FRAME_LIMIT + '"}')


async def gigantic(peer: WirePeer, _began: GameStart, _turn: Question | None) -> None:
    """Send a frame larger than the server is willing to read at all."""
    await peer.shout("x" * 64 * codec.FRAME_LIMIT)


async def illegal(peer: WirePeer, began: GameStart, turn: Question | None) -> None:
    """Answer with a pit that the board does not have."""
    turn = turn or await peer.hear(Question)
    await peer.say(Move(began.game, turn.ply, 77))


async def out_of_turn(peer: WirePeer, began: GameStart, _turn: Question | None) -> None:
    """Answer a question far from being asked."""
    await peer.say(Move(began.game, 50, 0))


async def silent(peer: WirePeer, _began: GameStart, turn: Question | None) -> None:
    if turn is None:
        await peer.hear(Question)


async def end_of(host: Hosted, deed: Deed, name: str, *, move_ms: int = MOVE_MS) -> GameResult:
    clock = TimeControl(move_ms=move_ms)
    polite = asyncio.create_task(
        run(
            host.url,
            first_pit,
            name=f"victim-of-{name}",
            games=1,
            seek=Seek(KALAH, clock, opponent=name, games=1),
            session_file=None,
            stop=asyncio.Event(),
        )
    )
    async with WirePeer(host.url, name) as peer:
        began, turn = await peer.play(f"victim-of-{name}", move_ms=move_ms)
        await deed(peer, began, turn)
        (result,) = await polite
    return result


def evidence(result: GameResult) -> Evidence:
    """Return the evidence of a forced end; there must be some."""
    assert result.evidence is not None
    return result.evidence


@asynccontextmanager
async def bystanders(host: Hosted) -> AsyncIterator[None]:
    """Let two polite bots play while the block lasts, and look at how their games ended."""
    stop, clock = asyncio.Event(), TimeControl(move_ms=MOVE_MS)
    polite = [
        asyncio.create_task(
            run(
                host.url,
                _at_random(seed),
                name=f"bystander-{seed}",
                seek=Seek(KALAH, clock, opponent=f"bystander-{1 - seed}", games=1000),
                session_file=None,
                stop=stop,
            )
        )
        for seed in (0, 1)
    ]
    yield
    stop.set()
    for results in await asyncio.gather(*polite):
        assert results, "the bystanders never got to the end of a game"
        assert {result.reason for result in results} == {Reason.NORMAL}


def _at_random(seed: int) -> Callable[[Turn], Awaitable[int]]:
    lots = random.Random(seed)

    async def choose(turn: Turn) -> int:
        return lots.choice(turn.legal)

    return choose


async def test_hostile_bots_get_their_named_ends_while_other_games_go_on(tmp_path: Path) -> None:
    """Garbage, huge frames, illegal and unasked moves, silence: each end has its evidence.

    Nonsense before a game or a greeting ends one connection, and no more.
    """
    async with asyncio.timeout(PATIENCE_S), hosted(tmp_path) as host, bystanders(host):
        sent_garbage = await end_of(host, garbage, "garbage")
        assert sent_garbage.reason is Reason.PROTOCOL
        assert sent_garbage.won
        assert "sow everything" in (evidence(sent_garbage).received or "")

        for deed in (oversized, gigantic):
            sent_much = await end_of(host, deed, deed.__name__)
            assert sent_much.reason is Reason.PROTOCOL
            assert sent_much.won

        played_illegally = await end_of(host, illegal, "illegal")
        assert played_illegally.reason is Reason.ILLEGAL
        assert evidence(played_illegally).pit == 77
        assert 77 not in (evidence(played_illegally).legal or ())

        answered_unasked = await end_of(host, out_of_turn, "unasked")
        assert answered_unasked.reason is Reason.PROTOCOL
        assert evidence(answered_unasked).player == 1 - answered_unasked.seat

        said_nothing = await end_of(host, silent, "silent", move_ms=SHORT_MS)
        assert said_nothing.reason is Reason.TIMEOUT
        assert (evidence(said_nothing).elapsed_ms or 0) >= SHORT_MS

        for frame in (b"\xff\xfe", "[" * 10_000, '{"type":"hello","name":1e400}'):
            async with WirePeer(host.url, "stranger") as stranger:
                await stranger.shout(frame)
                with pytest.raises(HungUpError):
                    await stranger.hear(Question)
            async with WirePeer(host.url, "stranger"):
                pass
