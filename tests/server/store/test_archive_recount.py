"""What the archive finds among many games, compared with a plain recount of them."""

import asyncio
from typing import Final, NamedTuple

import pytest

from mancala.protocol.messages import Reason
from mancala.protocol.referee import LedgerEntry
from mancala.server.model.credentials import Rights
from mancala.server.model.journal import Entry, GameOpened, MatchOpened, MovePlayed
from mancala.server.model.match import LadderContext
from mancala.server.model.schemas.bots import BotSummary
from mancala.server.model.schemas.games import GameNeighbours, GameStatus, GameSummary
from mancala.server.store import Store
from mancala.server.store.reading.archive import Archive, GameFilter, GameKey
from mancala.server.store.rows.tokens import issue
from tests.server.store.databases import committed
from tests.server.store.reading.test_archive import TERMS, at, ended

pytestmark = pytest.mark.usefixtures("database")


class RecountedGame(NamedTuple):
    """A game; over unless it has no reason."""

    game: str
    match: str
    seats: tuple[str, str]
    ladder: str | None
    began: int
    winner: int | None = None
    reason: Reason | None = None
    pits: tuple[int, ...] = ()


GAMES: Final = (
    RecountedGame("a0", "a", ("ann", "bob"), "blitz", 5, None, Reason.NORMAL, (2, 0)),
    RecountedGame("a1", "a", ("bob", "ann"), "blitz", 8, 1, Reason.RESIGNED, (1,)),
    RecountedGame("b0", "b", ("bob", "cid"), "open", 5, 0, Reason.TIMEOUT, (5,)),
    RecountedGame("b1", "b", ("cid", "bob"), "open", 6, pits=(3, 4)),
    RecountedGame("c0", "c", ("cid", "ann"), "rapid", 9, None, Reason.ABORTED),
    RecountedGame("c1", "c", ("ann", "cid"), "rapid", 10, 0, Reason.NORMAL, (0,)),
    RecountedGame("d0", "d", ("abe", "zoe"), None, 12, pits=(2, 5, 0)),
)
LATEST_FIRST: Final = sorted(GAMES, key=lambda game: (game.began, game.game), reverse=True)
NAMES: Final = ("abe", "ann", "bob", "cid", "zoe")


def entries() -> list[Entry]:
    written: list[Entry] = []
    for number, game in ((int(game.game[1]), game) for game in reversed(LATEST_FIRST)):
        if number == 0:
            context = game.ladder and LadderContext(game.ladder, game.seats)
            written.append(
                MatchOpened(game.match, game.seats, TERMS, at(game.began), context or None)
            )
        written.append(GameOpened(game.game, game.match, number, at(game.began)))
        for ply, pit in enumerate(game.pits):
            written.append(
                MovePlayed(game.game, ply, LedgerEntry(pit, 100.0, 0.0), None, forced=False)
            )
        if game.reason is not None:
            written.append(ended(game.game, game.winner, game.reason, None))
    return written


@pytest.fixture
async def store(store: Store) -> Store:
    await committed(store, *entries())
    return store


@pytest.fixture
def archive(store: Store) -> Archive:
    return Archive(store, server="test")


async def found(archive: Archive, wanted: GameFilter) -> list[GameSummary]:
    games: list[GameSummary] = []
    after = None
    while page := (await archive.games(wanted, after=after, limit=2)).games:
        games += page
        after = GameKey(page[-1].started_at, page[-1].game)
    return games


def is_in(game: RecountedGame, wanted: GameFilter) -> bool:
    status = GameStatus.RUNNING if game.reason is None else GameStatus.OVER
    return (
        wanted.bot in (None, *game.seats)
        and wanted.match in (None, game.match)
        and wanted.ladder in (None, game.ladder)
        and wanted.status in (None, status)
    )


async def test_pages_of_a_filter_hold_its_games_once_and_the_latest_first(archive: Archive) -> None:
    """By bot, match, ladder and status, and by several of them."""
    filters = [
        GameFilter(),
        *(GameFilter(bot=name) for name in (*NAMES, "bo")),
        *(GameFilter(match=match) for match in "abcd"),
        *(GameFilter(ladder=ladder) for ladder in ("blitz", "open", "rapid", "none")),
        *(GameFilter(status=status) for status in GameStatus),
        GameFilter(bot="bob", status=GameStatus.OVER),
    ]
    for wanted in filters:
        games = [game.game for game in await found(archive, wanted)]
        assert games == [game.game for game in LATEST_FIRST if is_in(game, wanted)], wanted


async def test_a_summary_is_what_was_played(archive: Archive) -> None:
    """Seats change from game to game, and plies are counted."""
    for summary, game in zip(await found(archive, GameFilter()), LATEST_FIRST, strict=True):
        assert (summary.players, summary.match, summary.ladder) == (
            game.seats,
            game.match,
            game.ladder,
        )
        assert (summary.winner, summary.reason, summary.plies) == (
            game.winner,
            game.reason,
            len(game.pits),
        )
        assert (summary.stores is None) == (game.reason is None) == (summary.ended_at is None)


async def test_neighbours_are_the_games_before_and_after(archive: Archive) -> None:
    """In the order in which they began."""
    games = [None, *(game.game for game in reversed(LATEST_FIRST)), None]
    for place, game in enumerate(games[1:-1], start=1):
        around = GameNeighbours(previous=games[place - 1], next=games[place + 1])
        assert await archive.neighbours(str(game)) == around
    assert await archive.neighbours("b") is None


async def test_a_record_has_the_moves_of_its_game(archive: Archive) -> None:
    """One that does not exist has no record, match or result."""
    for game in GAMES:
        record = await archive.record(game.game)
        assert record is not None
        assert tuple(move.pit for move in record.moves) == game.pits
        reason = None if record.result is None else record.result.reason
        assert (record.match, reason) == (game.match, game.reason)
    assert await archive.record("b") is None
    assert await archive.match("b0") is None


async def test_a_match_has_its_games_in_order(archive: Archive) -> None:
    """With the points of those that count."""
    scores = {"a": (1.5, 0.5), "b": (1.0, 0.0), "c": (0.0, 1.0), "d": (0.0, 0.0)}
    for name, (first, second) in scores.items():
        match = await archive.match(name)
        played = [game for game in GAMES if game.match == name]
        assert match is not None
        assert [game.game for game in match.games] == [game.game for game in played]
        assert match.score == {played[0].seats[0]: first, played[0].seats[1]: second}


async def test_bots_have_the_sums_of_their_games(store: Store, archive: Archive) -> None:
    """Those with a token are listed as well, without those that only review."""
    for name, is_reviewer in (("bob", False), ("dan", False), ("rev", True)):
        await store.run(issue, name, at(0), Rights(is_reviewer=is_reviewer))
    counted = [game for game in GAMES if game.reason not in (None, Reason.ABORTED)]
    expected = []
    for name in ("ann", "bob", "cid", "dan"):
        mine = [game for game in counted if name in game.seats]
        winners = [None if g.winner is None else g.seats[g.winner] for g in mine]
        expected.append(
            BotSummary(
                name=name,
                reserved=name in ("bob", "dan"),
                games=len(mine),
                wins=winners.count(name),
                draws=winners.count(None),
                losses=sum(winner not in (None, name) for winner in winners),
                last_game_at=at(59) if mine else None,
            )
        )
    assert list(await archive.bots(limit=9)) == expected
    for bot in expected:
        assert await archive.bots(name=bot.name, limit=9) == (bot,)
        rest = [other for other in expected if other.name > bot.name]
        assert list(await archive.bots(after=bot.name, limit=9)) == rest
    assert len(await archive.bots(limit=3)) == 3


async def test_equal_questions_at_one_time_are_read_once(store: Store) -> None:
    """And each question has its own answer."""
    archive = Archive(store, server="test")
    games, record, match, depth, bots = await asyncio.gather(
        archive.games(GameFilter(match="d"), after=None, limit=9),
        archive.record("d0"),
        archive.match("d"),
        archive.outbox_depth(),
        archive.bots(name="ann", limit=1),
    )
    assert record is not None
    assert match is not None
    assert (games.games[0].game, record.game, match.match) == ("d0", "d0", "d")
    assert (depth, bots[0].name) == (5, "ann")
