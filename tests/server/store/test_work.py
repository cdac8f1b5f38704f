"""No page looks at more rows because the archive has more games, whatever it is asked for.

A plan that names an index may still read all games of a bot. So SQLite's instructions are counted,
on an archive and on one with eight times as many games between the same bots.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from typing import Any, Final, NamedTuple, TypeVar

import pytest
from sqlalchemy import Connection

from mancala.protocol.messages import Reason
from mancala.scripts.bench.serving.store import questions
from mancala.scripts.bench.serving.store_archive import Size, make
from mancala.server.model.schemas.games import BotResult, GameStatus
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.reading.archive import Archive
from mancala.server.store.rows import game_lists
from mancala.server.store.rows.game_lists import GameFilter, games_page

T = TypeVar("T")

FEW: Final = Size(games=750, entrants=6, pairings=10, members=4)
MANY: Final = FEW._replace(games=6000)
STEP: Final = 50
"""Instructions that count as one step."""
GROWTH: Final = 2
SPARE: Final = 60
"""Steps more that an index which is a level deeper may take."""
PAGE: Final = 3
TOGETHER: Final = 3
"""Parts of a filter that are tried together; what is asked for besides narrows what was found."""
LOOKED_AT: Final = 6
"""Games of a range that a page looks at in these tests, for what has no index."""


class Ends(NamedTuple):
    """What an archive of any size has: its first bots, a match and a time."""

    bot: str
    opponent: str
    match: str
    at: str


class StepCounter:
    """Reads, and counts the steps of it."""

    def __init__(self, connection: Connection) -> None:
        self.steps = 0
        self._connection = connection
        driver: Any = connection.connection.dbapi_connection
        driver.set_progress_handler(self._step, STEP)

    def _step(self) -> None:
        self.steps += 1

    async def run(self, act: Callable[[Transaction], T], /) -> T:
        return self.read(act)

    def read(self, act: Callable[[Transaction], T]) -> T:
        self.steps = 0
        with self._connection.begin():
            return act(Transaction(self._connection))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("work")
    found = str(folder / "few.sqlite3"), str(folder / "many.sqlite3")
    for place, size in zip(found, (FEW, MANY), strict=True):
        make(place, size)
    return found


def filters(known: Ends) -> Iterator[GameFilter]:
    """Yield the filters of few parts that a page can be asked with, and those of all parts."""
    for bot, match, ladder, status, opponent, result, version, reason, since, until in product(
        (None, known.bot),
        (None, known.match),
        (None, "blitz", "main"),
        (None, GameStatus.RUNNING, GameStatus.OVER),
        (None, known.opponent),
        (None, BotResult.LOSS),
        (None, f"{known.bot}@1.0"),
        (None, Reason.WEDGED),
        (None, known.at),
        (None, "2016-01-02"),
    ):
        wanted = GameFilter(
            *(bot, match, ladder, status, opponent, result, version, reason, since, until)
        )
        lacking = wanted.count(None)
        is_asked = bot is not None or (opponent, result, version) == (None, None, None)
        if is_asked and (lacking == 0 or lacking >= len(wanted) - TOGETHER):
            yield wanted


def steps_of_filters(place: str) -> dict[tuple[object, ...], int]:
    steps: dict[tuple[object, ...], int] = {}
    with closing(connect(place, Access.READ)) as connection:
        reader = StepCounter(connection)
        game = reader.read(lambda t: games_page(t, GameFilter(), None, PAGE)).games[-1]
        known = Ends(*game.players, game.match, game.started_at)
        for each in filters(known):
            reader.read(lambda t, each=each: games_page(t, each, None, PAGE))  # type: ignore[misc]  # bound now
            parts = tuple(part is not None for part in each)
            key = (*parts, each.ladder, each.status)
            steps[key] = reader.steps
    return steps


async def steps_of_questions(place: str) -> dict[str, int]:
    steps = {}
    with closing(connect(place, Access.READ)) as connection:
        reader = StepCounter(connection)
        for name, ask in (await questions(Archive(reader, server="test"))).items():
            reader.steps = 0
            await ask()
            steps[name] = reader.steps
    return steps


def test_no_filter_reads_more_games_where_there_are_more(
    places: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Running games of a ladder or a bot were searched among all that it has played."""
    monkeypatch.setattr(game_lists, "SCANNED", LOOKED_AT)
    few, many = map(steps_of_filters, places)
    assert few.keys() == many.keys()
    grown = {key: (few[key], many[key]) for key in few if many[key] > GROWTH * few[key] + SPARE}
    assert grown == {}


async def test_no_question_reads_more_rows_where_there_are_more_games(
    places: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those that the page and the API ask."""
    monkeypatch.setattr(game_lists, "SCANNED", LOOKED_AT)
    few, many = [await steps_of_questions(place) for place in places]
    grown = {
        name: (few[name], many[name]) for name in few if many[name] > GROWTH * few[name] + SPARE
    }
    assert grown == {}


def test_a_search_that_fills_its_page_looks_at_few_games(places: tuple[str, str]) -> None:
    """It looked at as many as one that finds none, in each ladder of the bot."""
    with closing(connect(places[1], Access.READ)) as connection:
        reader = StepCounter(connection)
        [game] = reader.read(lambda t: games_page(t, GameFilter(), None, 1)).games
        bot, steps = game.players[0], {}
        for version in ("1.0", "2.0"):
            wanted = GameFilter(bot, version=f"{bot}@{version}")
            found = reader.read(lambda t, wanted=wanted: games_page(t, wanted, None, PAGE))  # type: ignore[misc]  # bound now
            steps[len(found.games)] = reader.steps
    assert steps[PAGE] < steps[0] / 2
