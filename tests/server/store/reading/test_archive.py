"""What the archive answers, and what answering costs those who play."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import delete
from sqlalchemy.exc import DBAPIError

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Agent, Evidence, Info, Outcome, Reason
from mancala.protocol.record import verify
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.results import Contestant, GameResult
from mancala.protocol.rules import KALAH, Board
from mancala.server.model.journal import (
    Announcement,
    Entry,
    GameClosed,
    GameOpened,
    MatchOpened,
    MovePlayed,
)
from mancala.server.model.match import LadderContext, Terms
from mancala.server.model.schemas.games import GameStatus, GameSummary
from mancala.server.store import Store
from mancala.server.store.database.reader import Reader
from mancala.server.store.database.schema import outbox
from mancala.server.store.database.writer import Transaction
from mancala.server.store.reading.archive import Archive, GameFilter, GameKey
from tests.patience import PATIENCE_S
from tests.server.store.databases import committed, fail, place_of

T = TypeVar("T")

pytestmark = pytest.mark.usefixtures("database")

TERMS = Terms(KALAH, TimeControl(move_ms=1000, bank_ms=60_000), rated=True, games=2)
ANN = Contestant("ann", Agent("sower", "1"))
BOB = Contestant("bob")
ALL = GameFilter()


def at(second: int) -> str:
    return f"2026-11-21T12:00:{second:02d}.000+00:00"


def opened(match: str, second: int, first: str = "ann", other: str = "bob") -> list[Entry]:
    """Begin a match and its first game, which bears the same name with a 0."""
    return [
        MatchOpened(match, (first, other), TERMS, at(second)),
        GameOpened(f"{match}0", match, 0, at(second)),
    ]


def ended(game: str, winner: int | None, reason: Reason, evidence: Evidence | None) -> GameClosed:
    stores = (0, 0)

    payload = GameResult(
        event_id=f"game-{game}",
        seq=0,
        server="test",
        game=game,
        match="m",
        rated=True,
        rules=TERMS.rules,
        clock=TERMS.clock,
        players=(ANN, BOB),
        winner=winner,
        stores=stores,
        reason=reason,
        plies=0,
        moves=(),
        started_at=at(0),
        ended_at=at(59),
    )
    result = Announcement(f"games/{game}", f"game-{game}", payload)
    return GameClosed(game, Outcome(winner, stores, reason, evidence), at(59), result)


def resigned(game: str, loser: int = 1) -> GameClosed:
    return ended(game, 1 - loser, Reason.RESIGNED, Evidence(loser, "resigned"))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with asyncio.timeout(PATIENCE_S), Store(place_of(tmp_path), failed=fail) as store:
        yield store


@pytest.fixture
def archive(store: Store) -> Archive:
    """What looks into it, by the writer's own thread."""
    return Archive(store, server="test")


async def games_of(
    archive: Archive, wanted: GameFilter = ALL, *, limit: int = 9, after: GameKey | None = None
) -> tuple[GameSummary, ...]:
    return (await archive.games(wanted, after=after, limit=limit)).games


async def test_games_that_began_in_the_same_instant_are_all_listed_once(
    store: Store, archive: Archive
) -> None:
    """Where the time doesn't decide, the id does, and a page may end between the two."""
    await committed(store, *[entry for match in "abc" for entry in opened(match, 7)])
    first = await games_of(archive, limit=2)
    rest = await games_of(archive, limit=2, after=GameKey(at(7), first[-1].game))
    assert [game.game for game in (*first, *rest)] == ["c0", "b0", "a0"]


async def test_a_game_that_begins_meanwhile_does_not_shift_the_pages(
    store: Store, archive: Archive
) -> None:
    """The next page goes on where the last one ended."""
    for second, match in enumerate("ab"):
        await committed(store, *opened(match, second))
    (first,) = await games_of(archive, limit=1)
    await committed(store, *opened("z", 30))
    key = GameKey(first.started_at, first.game)
    assert [game.game for game in await games_of(archive, limit=5, after=key)] == ["a0"]


async def test_running_games_are_those_without_an_end(store: Store, archive: Archive) -> None:
    """Of a match that goes on, only the present game is running."""
    await committed(store, *[*opened("m", 1), resigned("m0"), GameOpened("m1", "m", 1, at(2))])
    running = await games_of(archive, GameFilter(status=GameStatus.RUNNING))
    over = await games_of(archive, GameFilter(status=GameStatus.OVER))
    assert [game.game for game in running] == ["m1"]
    assert [game.game for game in over] == ["m0"]
    assert running[0].players == ("bob", "ann")
    assert over[0].players == ("ann", "bob")


async def test_games_of_a_ladder_are_its_own(store: Store, archive: Archive) -> None:
    """Others are not among them."""
    ladder_context = LadderContext("open", ("ann@1", "bob"))
    match = MatchOpened("l", ("ann", "bob"), TERMS, at(3), ladder_context)
    await committed(store, *[*opened("m", 1), match, GameOpened("l0", "l", 0, at(3))])
    found = await games_of(archive, GameFilter(ladder="open"))
    assert [(game.game, game.ladder) for game in found] == [("l0", "open")]


async def test_a_record_tells_thoughts_clocks_and_evidence(store: Store, archive: Archive) -> None:
    """All that was kept of a game, and programs behind names as they were announced."""
    moves = [
        MovePlayed("m0", 0, LedgerEntry(2, 200.0, 0.0), Info(depth=9), forced=False),
        MovePlayed("m0", 1, LedgerEntry(0, 1000.0, 0.0), None, forced=True),
    ]
    await committed(store, *[*opened("m", 1), *moves, resigned("m0", loser=0)])
    record = await archive.record("m0")
    assert record is not None
    assert record.result is not None
    assert record.players == (ANN, BOB)
    assert (record.server, record.match, record.rated) == ("test", "m", True)
    assert [move.info for move in record.moves] == [Info(depth=9), None]
    assert [move.forced for move in record.moves] == [False, True]
    assert record.moves[0].clock is not None
    assert record.moves[0].clock.banks_ms == (59_800, 60_000)
    assert record.result.evidence == Evidence(0, "resigned")


async def test_a_record_begins_where_its_match_of_a_ladder_began(
    store: Store, archive: Archive
) -> None:
    """The second pair of games has the second opening."""
    texts = ("<6,1,0,0,5,5,5,4,4,4,4,4,4,4,4>", "<6,0,1,4,4,4,4,4,0,4,4,4,4,5,6>")
    openings = tuple(map(Board.from_text, texts))
    ladder_context = LadderContext("open", ("ann", "bob"), openings)
    match = MatchOpened("l", ("ann", "bob"), TERMS._replace(games=4), at(3), ladder_context)
    await committed(store, match, *(GameOpened(f"l{n}", "l", n, at(3 + n)) for n in range(4)))
    records = [await archive.record(f"l{number}") for number in range(4)]
    begun = [record.opening for record in records if record is not None]
    first, second = (board.state for board in openings)
    assert begun == [first, first, second, second]
    for record in records:
        assert record is not None
        verify(record)


async def test_a_record_whose_announcement_is_gone_still_names_the_players(
    store: Store, archive: Archive
) -> None:
    """An organiser may empty the outbox."""
    await committed(store, *[*opened("m", 1), resigned("m0")])
    await store.run(lambda transaction: transaction.execute(delete(outbox)).rowcount)
    record = await archive.record("m0")
    assert record is not None
    assert record.players == (Contestant("ann"), Contestant("bob"))


async def test_a_match_without_an_end_has_the_score_so_far(store: Store, archive: Archive) -> None:
    """Points of the games that are over."""
    await committed(store, *[*opened("m", 1), resigned("m0"), GameOpened("m1", "m", 1, at(2))])
    match = await archive.match("m")
    assert match is not None
    assert match.status is GameStatus.RUNNING
    assert match.score == {"ann": 1.0, "bob": 0.0}
    assert [game.game for game in match.games] == ["m0", "m1"]


async def test_an_aborted_game_does_not_count(store: Store, archive: Archive) -> None:
    """Nor does one that is still being played."""
    aborted = ended("m0", None, Reason.ABORTED, None)
    await committed(store, *[*opened("m", 1), aborted, *opened("n", 2)])
    assert await archive.bots(limit=9) == ()
    match = await archive.match("m")
    assert match is not None
    assert match.score == {"ann": 0.0, "bob": 0.0}


async def test_one_bot_is_told_the_same_as_in_the_list(store: Store, archive: Archive) -> None:
    """Its record over both seats."""
    await committed(store, *[*opened("m", 1), resigned("m0"), GameOpened("m1", "m", 1, at(2))])
    await committed(store, *[resigned("m1"), *opened("n", 3, "bob", "cid"), resigned("n0")])
    listed = await archive.bots(limit=9)
    single = [(await archive.bots(name=name, limit=1))[0] for name in ("ann", "bob", "cid")]
    assert list(listed) == single
    assert [(bot.games, bot.wins, bot.losses) for bot in listed] == [
        (2, 1, 1),
        (3, 2, 1),
        (1, 0, 1),
    ]


async def test_the_depth_of_the_outbox_is_what_the_broker_has_yet_to_get(
    store: Store, archive: Archive
) -> None:
    """What was acknowledged is no longer in it."""
    await committed(store, *[*opened("m", 1), resigned("m0"), *opened("n", 2), resigned("n0")])
    assert await archive.outbox_depth() == 2
    assert await archive.outbox_bytes() > 0
    await store.mark_published([1], at(3))
    assert await archive.outbox_depth() == 1


class CountingReader:
    """A reader that reads on demand, and counts."""

    def __init__(self) -> None:
        self.asked = 0
        self.gate: asyncio.Event = asyncio.Event()

    async def run(self, _act: Callable[[Transaction], T], /) -> T:
        self.asked += 1
        await self.gate.wait()
        return ()  # type: ignore[return-value]  # an empty list of whatever it is


async def test_a_crowd_before_one_page_costs_one_look() -> None:
    """Who asks what is being looked up waits for that; who asks later has it looked up again."""
    reader = CountingReader()
    archive = Archive(reader, server="test")

    async def ask(limit: int = 10) -> object:
        return await archive.games(GameFilter(), after=None, limit=limit)

    crowd = [asyncio.create_task(ask()) for _ in range(20)]
    other = asyncio.create_task(ask(limit=11))
    await asyncio.wait(crowd, timeout=0.01)
    crowd[0].cancel()
    reader.gate.set()
    assert await asyncio.gather(*crowd[1:], other) == [()] * 20
    assert reader.asked == 2
    await ask()
    assert reader.asked == 3


async def test_the_reader_sees_what_the_writer_has_committed(store: Store, tmp_path: Path) -> None:
    """And while it is in the middle of something long, the writer goes on."""
    async with Reader(place_of(tmp_path)) as reader:
        archive = Archive(reader, server="test")
        await committed(store, *opened("m", 1))
        assert len(await games_of(archive)) == 1
        began, release = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def dawdle(transaction: Transaction) -> int:
            found = transaction.execute(outbox.select()).all()
            loop.call_soon_threadsafe(began.set)
            asyncio.run_coroutine_threadsafe(release.wait(), loop).result(PATIENCE_S)
            return len(found)

        slow = asyncio.create_task(reader.run(dawdle))
        await began.wait()
        await committed(store, *[resigned("m0")])
        release.set()
        assert await slow == 0
        assert await archive.outbox_depth() == 1


async def test_the_reader_cannot_write(store: Store, tmp_path: Path) -> None:
    """Whatever the web may come to ask, the database refuses."""
    await committed(store, *opened("m", 1))
    async with Reader(place_of(tmp_path)) as reader:
        with pytest.raises(DBAPIError, match=r"read-?only"):
            await reader.run(lambda transaction: transaction.execute(delete(outbox)).rowcount)
        assert await Archive(reader, server="test").outbox_depth() == 0
