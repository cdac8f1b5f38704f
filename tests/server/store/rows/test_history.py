"""A bot's ratings over time, and what its games came to."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import Connection

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.rules import Board, Rules
from mancala.server.model import journal
from mancala.server.model.match import LadderContext, Terms
from mancala.server.model.schemas.games import BotResult
from mancala.server.store.database.database import connect
from mancala.server.store.entries import write_all
from mancala.server.store.reading.statistics import duel, statistics_of
from mancala.server.store.rows import game_lists, history
from mancala.server.store.rows.game_lists import GameFilter, GameKey, games_page
from mancala.server.store.rows.history import ratings_before, ratings_in, ratings_of
from tests.server.store.builders import do
from tests.server.store.databases import place_of
from tests.server.store.test_store import announcement

pytestmark = pytest.mark.usefixtures("database")

SEED = 11
GAMES = 120
OPENINGS = (Board.start(Rules()).sow(2).board, Board.start(Rules()).sow(1).board)


def noted(ladder: str, name: str, at: str, elo: float, games: int) -> journal.RatingNoted:
    return journal.RatingNoted(ladder, name, at, elo, 40.0, games)


def day(number: int) -> str:
    return f"2026-{1 + number // 28:02}-{1 + number % 28:02}"


def at(number: int) -> str:
    return f"{day(number // 2)}T{12 + number % 2}:00:00.000+00:00"


class HistoryGame:
    """A game as the test knows it."""

    def __init__(self, rng: random.Random, number: int) -> None:
        first, second = rng.sample(("ann", "bob", "cid"), 2)
        self.number, self.half = number, number % 4
        self.ladder = rng.choice(("main", "blitz"))
        self.entrants = (f"{first}@{1 + number // 60}", second)
        self.seats = (first, second) if self.half % 2 == 0 else (second, first)
        self.versions = self.entrants if self.half % 2 == 0 else self.entrants[::-1]
        self.plies = rng.randrange(25)
        self.reason = rng.choice((Reason.NORMAL, Reason.TIMEOUT, Reason.ABORTED))
        self.winner = None if self.reason is Reason.ABORTED else rng.choice((0, 1, None))

    @property
    def opening(self) -> str:
        return "" if self.ladder == "main" else OPENINGS[self.half // 2].text

    def result(self, bot: str) -> BotResult | None:
        """Return what it was for a bot; None where it does not count."""
        if self.reason is Reason.ABORTED:
            return None
        if self.winner is None:
            return BotResult.DRAW
        return BotResult.WIN if self.seats[self.winner] == bot else BotResult.LOSS

    def entries(self) -> Iterator[journal.Entry]:
        first, second = (name.partition("@")[0] for name in self.entrants)
        openings = () if self.ladder == "main" else OPENINGS
        context = LadderContext(self.ladder, self.entrants, openings)
        terms = Terms(Rules(), TimeControl(move_ms=1000), rated=True, games=4)
        match, game = f"m{self.number}", f"g{self.number}"
        yield journal.MatchOpened(match, (first, second), terms, at(self.number), context)
        yield journal.GameOpened(game, match, self.half, at(self.number))
        for ply in range(self.plies):
            yield journal.MovePlayed(game, ply, LedgerEntry(ply % 6, 1.0, 0.0), None, forced=False)
        ended = Outcome(self.winner, (25, 23), self.reason, None)
        yield journal.GameClosed(game, ended, at(self.number), announcement(game))


@contextmanager
def holding(folder: Path, entries: Sequence[journal.Entry]) -> Iterator[Connection]:
    with closing(connect(place_of(folder))) as connection:
        do(connection, lambda transaction: write_all(entries, transaction))
        yield connection


@pytest.fixture(scope="module")
def played() -> list[HistoryGame]:
    rng = random.Random(SEED)
    return [HistoryGame(rng, number) for number in range(GAMES)]


@pytest.fixture(scope="module")
def store(
    database: None, tmp_path_factory: pytest.TempPathFactory, played: list[HistoryGame]
) -> Iterator[Connection]:
    del database
    entries = [entry for game in played for entry in game.entries()]
    with holding(tmp_path_factory.mktemp("history"), entries) as connection:
        yield connection


def test_the_last_rating_of_each_day_is_a_point_of_its_versions_line(tmp_path: Path) -> None:
    """Versions and ladders have lines of their own; other bots are not in them."""
    entries = [
        noted("main", "ann@1", "2026-11-21T12:00:00.000+00:00", 1500.04, 2),
        noted("main", "ann@1", "2026-11-21T13:00:00.000+00:00", 1512.36, 4),
        noted("main", "ann@1", "2026-11-23T13:00:00.000+00:00", 1490.0, 6),
        noted("main", "ann@2", "2026-11-22T13:00:00.000+00:00", 1600.0, 2),
        noted("blitz", "ann@1", "2026-11-22T13:00:00.000+00:00", 1400.0, 2),
        noted("main", "anna", "2026-11-22T13:00:00.000+00:00", 1300.0, 2),
    ]
    with holding(tmp_path, entries) as connection:
        found = do(connection, ratings_of, "ann").lines
        leading = do(connection, ratings_in, "main", ("anna", "ann@2", "none")).lines
    lines = {(line.ladder, line.name): [p.rating for p in line.points] for line in found}
    assert lines == {
        ("main", "ann@1"): [1512.4, 1490.0],
        ("main", "ann@2"): [1600.0],
        ("blitz", "ann@1"): [1400.0],
    }
    [first] = [line.points[0] for line in found if (line.ladder, line.name) == ("main", "ann@1")]
    assert (first.day, first.interval, first.games) == ("2026-11-21", (1472.4, 1552.4), 4)
    assert [line.name for line in leading] == ["anna", "ann@2"]


def test_yesterdays_rating_is_the_last_one_noted_before_today(tmp_path: Path) -> None:
    """Not one of today, of another ladder or version, nor one from before the last month."""
    entries = [
        noted("main", "ann@1", "2026-11-19T12:00:00.000+00:00", 1500.0, 2),
        noted("main", "ann@1", "2026-11-21T23:59:59.000+00:00", 1512.3, 4),
        noted("main", "ann@1", "2026-11-22T00:00:00.000+00:00", 1490.0, 6),
        noted("main", "ann@2", "2026-11-22T13:00:00.000+00:00", 1600.0, 2),
        noted("blitz", "bob", "2026-11-21T13:00:00.000+00:00", 1400.0, 2),
        noted("main", "cid", "2026-09-21T13:00:00.000+00:00", 1300.0, 2),
    ]
    asked = ("ann@1", "ann@2", "bob", "cid", "none")
    with holding(tmp_path, entries) as connection:
        today = date(2026, 11, 22)
        assert do(connection, ratings_before, "main", asked, today) == {"ann@1": 1512.3}
        assert do(connection, ratings_before, "none", asked, today) == {}


def test_a_long_line_is_thinned_evenly() -> None:
    """Its first and its last point stay."""
    kept = history.thinned(list(range(4000)))
    assert len(kept) == history.MOST_POINTS
    assert (kept[0], kept[-1]) == (0, 3999)
    assert max(later - earlier for earlier, later in itertools.pairwise(kept)) <= 12


def test_what_games_came_to_is_what_a_recount_finds(
    store: Connection, played: list[HistoryGame]
) -> None:
    """By ending, version, opening, length and opponent, and between two bots."""
    found = do(store, statistics_of, "ann")
    its = [game for game in played if "ann" in game.seats]
    counting = [game for game in its if game.reason is not Reason.ABORTED]
    assert {(e.ladder, e.seat, e.reason): e.counts.games for e in found.endings} == Counter(
        (game.ladder, game.seats.index("ann"), game.reason) for game in its
    )
    assert {(v.ladder, v.name): v.counts.games for v in found.versions} == Counter(
        (game.ladder, game.versions[game.seats.index("ann")]) for game in counting
    )
    assert {o.opening: o.counts.wins for o in found.openings} == {
        opening: sum(
            game.result("ann") is BotResult.WIN for game in counting if game.opening == opening
        )
        for opening in {game.opening for game in counting}
    }
    assert {length.plies: length.counts.games for length in found.lengths} == Counter(
        game.plies // 10 * 10 for game in counting
    )
    against = {o.opponent: o.counts for o in found.opponents}
    for other in ("bob", "cid"):
        met = [game.result("ann") for game in counting if other in game.seats]
        both = do(store, duel, "ann", other)
        assert both.first.games + both.second.games == against[other].games == len(met)
        assert both.first.losses + both.second.losses == met.count(BotResult.LOSS)
        assert against[other].wins == met.count(BotResult.WIN)


FILTERS: dict[str, tuple[GameFilter, Callable[[HistoryGame], bool]]] = {
    "bot": (GameFilter("ann"), lambda game: "ann" in game.seats),
    "opponent": (GameFilter("ann", opponent="bob"), lambda game: {*game.seats} == {"ann", "bob"}),
    "won": (
        GameFilter("ann", result=BotResult.WIN),
        lambda game: "ann" in game.seats and game.result("ann") is BotResult.WIN,
    ),
    "drawn": (
        GameFilter("ann", result=BotResult.DRAW),
        lambda game: "ann" in game.seats and game.result("ann") is BotResult.DRAW,
    ),
    "lost in a ladder": (
        GameFilter("ann", ladder="blitz", result=BotResult.LOSS),
        lambda game: (
            "ann" in game.seats and game.ladder == "blitz" and game.result("ann") is BotResult.LOSS
        ),
    ),
    "version": (
        GameFilter("ann", version="ann@2"),
        lambda game: "ann" in game.seats and game.versions[game.seats.index("ann")] == "ann@2",
    ),
    "reason": (GameFilter(reason=Reason.TIMEOUT), lambda game: game.reason is Reason.TIMEOUT),
    "days": (
        GameFilter(since=f"{day(10)}T00:00", until=f"{day(20)}T00:00"),
        lambda game: day(10) <= at(game.number) < day(20),
    ),
    "all together": (
        GameFilter("ann", None, "main", None, "bob", BotResult.WIN, None, Reason.NORMAL, day(5)),
        lambda game: (
            {*game.seats} == {"ann", "bob"}
            and game.ladder == "main"
            and game.result("ann") is BotResult.WIN
            and game.reason is Reason.NORMAL
            and at(game.number) >= day(5)
        ),
    ),
    "nobody": (GameFilter("ann", opponent="nobody"), lambda _game: False),
}


@pytest.mark.parametrize(("scanned", "ladders"), [(4, 1), (4, 100), (1000, 100)])
@pytest.mark.parametrize("name", FILTERS)
def test_a_search_finds_each_game_once_the_latest_first(
    store: Connection,
    played: list[HistoryGame],
    name: str,
    scanned: int,
    ladders: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However few games a page may look at, and however many ladders the bot is in."""
    monkeypatch.setattr(game_lists, "SCANNED", scanned)
    monkeypatch.setattr(game_lists, "MOST_LADDERS", ladders)
    wanted, is_wanted = FILTERS[name]
    found: list[str] = []
    after: GameKey | None = None
    for _page in range(GAMES):
        page = do(store, games_page, wanted, after, 4)
        found += [game.game for game in page.games]
        after = page.next
        if after is None:
            break
    expected = [f"g{game.number}" for game in reversed(played) if is_wanted(game)]
    assert after is None
    assert found == expected
    assert bool(expected) == (name != "nobody")
