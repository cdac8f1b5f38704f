"""A store after years: how soon a server starts on it, and what a page and a game cost.

`python -m mancala.scripts.bench.store make PLACE --games 1000000` fills an empty store with games
between 5,000 entrants in a few minutes; `measure PLACE` prints the figures as one JSON object. A
place is a SQLite file or a PostgreSQL URL. With `--former` the archive is one of the version
before, to try `mancala store upgrade` on it.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import date
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.review import GameReview
from mancala.protocol.rules import Board, Rules
from mancala.scripts.bench import store_reviews
from mancala.scripts.bench.store_reviews import Reviews
from mancala.scripts.console import output as console
from mancala.server.model.contests import EventGameRow, KeptEvent
from mancala.server.model.schemas.games import BotResult
from mancala.server.store import Store, bulk, history, totals
from mancala.server.store.archive import Archive, GameFilter, GameKey
from mancala.server.store.database import BEFORE, Access, connect, downgrade, is_postgresql, vacuum
from mancala.server.store.mappers import text_of
from mancala.server.store.packed import StoredMove, pack
from mancala.server.store.reader import Reader

SEED: Final = 1
ENTRANTS: Final = 5000
PAIRINGS: Final = 294_564
GAMES: Final = 1_000_000
MEMBERS: Final = 300
LINES: Final = 500
REVIEWED: Final = 10
LADDERS: Final = ("main", "blitz", None)
WEIGHTS: Final = (80, 4, 16)
GAMES_A_MATCH: Final = 2
CHUNK: Final = 10_000
PAGE: Final = 51
TRIES: Final = 100
RULES: Final = text_of(Rules())
CLOCK: Final = text_of(TimeControl(move_ms=1000))

Row = tuple[Any, ...]
Fill = Callable[[str, Sequence[str], Iterable[Row]], None]
"""Inserts rows into a table, by the names of its columns."""

app = typer.Typer(help=__doc__, add_completion=False, pretty_exceptions_enable=False)
ENDED: Final = KeptEvent(
    *("finished", 1, None, None),
    games=(EventGameRow(0, "a", "b", 0, 2, "normal", "none", 0),),
)
"""An event of one game, whose record is looked for."""


class Size(NamedTuple):
    """How large an archive is.

    Attributes:
        games: how many games.
        entrants: how many bots.
        pairings: how many pairs of them have met.
        members: how many of them are in the ladder.
        reviewed_lines: of how many of the ``LINES`` sequences of moves the games have a review.
    """

    games: int = GAMES
    entrants: int = ENTRANTS
    pairings: int = PAIRINGS
    members: int = MEMBERS
    reviewed_lines: int = 0


class MadeUpGame(NamedTuple):
    """A game of the archive."""

    number: int
    match: str
    ladder: str | None
    seats: tuple[str, str]
    winner: int | None
    reason: Reason
    moves: list[StoredMove]

    @property
    def id(self) -> str:
        """Its id."""
        return f"{self.number * 0x9E3779B97F4B & 0xFFFFFFFFFFFF:012x}"

    @property
    def at(self) -> str:
        """When it began."""
        second = 5 * self.number
        day, clock = divmod(second, 86_400)
        return (
            f"20{16 + day // 336:02}-{day % 336 // 28 + 1:02}-{day % 28 + 1:02}"
            f"T{clock // 3600:02}:{clock % 3600 // 60:02}:{clock % 60:02}.000+00:00"
        )


@app.command("make")
def make_command(
    place: str,
    *,
    games: Annotated[int, typer.Option(help="Games in the archive.")] = GAMES,
    members: Annotated[int, typer.Option(help="Bots in the ladder.")] = MEMBERS,
    reviewed: Annotated[
        int, typer.Option(help=f"Of {LINES} different games, how many are reviewed.")
    ] = REVIEWED,
    former: Annotated[bool, typer.Option(help="In the version before.")] = False,
) -> None:
    """Fill an empty store."""
    size = Size(games=games, members=members, reviewed_lines=0 if former else reviewed)
    make(place, size, former=former)


@app.command("measure")
def measure_command(place: str) -> None:
    """Print what a start, a page and a game cost."""
    console.emit(asyncio.run(measure(place)))


def make(place: str, size: Size, *, former: bool = False) -> None:
    """Fill an empty store with an archive."""
    with closing(connect(place)) as connection:
        if former:
            downgrade(connection, BEFORE)
        with connection.begin():
            _fill_all(partial(bulk.fill, connection), size, former=former)
        vacuum(connection)


def _fill_all(fill: Fill, size: Size, *, former: bool) -> None:
    games = played(size)
    tally: Counter[tuple[str, str, str, int | None]] = Counter()
    keys = {name: key for key, name in enumerate(("main", "blitz", *_bots(size)), start=1)}
    past = _StoredHistory(keys)
    reviews = Reviews(_lines(random.Random(SEED))[: size.reviewed_lines])  # noqa: S311  # those played
    while chunk := list(islice(games, CHUNK)):
        firsts = [game for game in chunk if game.number % GAMES_A_MATCH == 0]
        fill("matches", MATCH_COLUMNS, map(_match_row, firsts))
        if former:
            fill("games", GAME_COLUMNS, map(_game_row, chunk))
            fill(
                "moves",
                MOVE_COLUMNS,
                (row for game in chunk for row in _move_rows(game)),
            )
        else:
            rows = ((*_game_row(game), *_packed_row(game, keys)) for game in chunk)
            fill("games", (*GAME_COLUMNS, *PACKED_COLUMNS), rows)
            fill("reviews", store_reviews.COLUMNS, _review_rows(reviews, chunk))
        for game in chunk:
            tally[(game.ladder or "", *game.seats, game.winner)] += 1
            past.add(game)
    _fill_ladder(fill, size, tally)
    if not former:
        past.fill(fill)
        fill("names", ("key", "name"), ((key, name) for name, key in keys.items()))
        _fill_totals(fill, tally)


MATCH_COLUMNS: Final = (
    *("id", "first", "second", "rules", "clock", "rated", "games", "first_points"),
    *("second_points", "began_at", "ended_at", "ladder", "first_entrant", "second_entrant"),
)
GAME_COLUMNS: Final = (
    *("id", "match", "number", "began_at", "ended_at"),
    *("winner", "south_store", "north_store", "reason"),
)
ENTRANT_COLUMNS: Final = ("ladder", "name", "elo", "deviation", "volatility", "strikes")
PAIR_COLUMNS: Final = ("ladder", "first", "second")
PACKED_COLUMNS: Final = ("seq", "ladder", "south", "north", "plies", "packed")
MOVE_COLUMNS: Final = ("game", "ply", "pit", "elapsed_ms", "lag_ms", "forced")


def played(size: Size) -> Iterator[MadeUpGame]:
    """Play the games of an archive, in the order in which they began."""
    rng = random.Random(SEED)  # noqa: S311  # an archive to measure
    bots = _bots(size)
    lines = _lines(rng)
    pairings = [tuple(rng.sample(bots, 2)) for _ in range(size.pairings)]
    for number in range(0, size.games, GAMES_A_MATCH):
        first, second = rng.choice(pairings)
        ladder = rng.choices(LADDERS, WEIGHTS)[0]
        match = f"{number * 0x5DEECE66D & 0xFFFFFFFFFFFF:012x}"
        for half in range(GAMES_A_MATCH):
            seats = (first, second) if half == 0 else (second, first)
            winner = rng.choice((0, 0, 0, 1, 1, None))
            reason = rng.choices((Reason.NORMAL, Reason.TIMEOUT, Reason.RESIGNED), (90, 5, 5))[0]
            yield MadeUpGame(
                number + half, match, ladder, seats, winner, reason, _moves(rng, rng.choice(lines))
            )


def _lines(rng: random.Random) -> list[tuple[int, ...]]:
    """Return the pits of some games played at random, for the archive to repeat."""
    return [_line(rng) for _ in range(LINES)]


def _line(rng: random.Random) -> tuple[int, ...]:
    board, pits = Board.start(Rules()), list[int]()
    while board.ending is None:
        pits.append(rng.choice(board.legal()))
        board = board.sow(pits[-1]).board
    return tuple(pits)


def _moves(rng: random.Random, pits: Iterable[int]) -> list[StoredMove]:
    return [
        StoredMove(
            pit, int(200_000 * rng.random()) / 1000, int(3000 * rng.random()) / 1000, forced=False
        )
        for pit in pits
    ]


def _bots(size: Size) -> list[str]:
    return [f"bot{number:05}" for number in range(size.entrants)]


def _version(bot: str) -> str:
    return f"{bot}@1.0"


def _match_row(game: MadeUpGame) -> Row:
    first, second = game.seats
    versions = (None, None) if game.ladder is None else (_version(first), _version(second))
    terms = (RULES, CLOCK, True, GAMES_A_MATCH, 1.0, 1.0)
    return (game.match, first, second, *terms, game.at, game.at, game.ladder, *versions)


def _game_row(game: MadeUpGame) -> Row:
    half = game.number % GAMES_A_MATCH
    ending = (game.winner, 25, 23, str(game.reason))
    return (game.id, game.match, half, game.at, game.at, *ending)


def _packed_row(game: MadeUpGame, keys: dict[str, int]) -> Row:
    south, north = game.seats
    ladder = keys[game.ladder] if game.ladder else None
    return (game.number, ladder, keys[south], keys[north], len(game.moves), pack(game.moves))


def _review_rows(reviews: Reviews, games: Iterable[MadeUpGame]) -> Iterator[Row]:
    for game in games:
        first, second = map(_version, game.seats)
        line = tuple(move.pit for move in game.moves)
        yield from reviews.row(game.id, (first, second), game.at, line)


def _move_rows(game: MadeUpGame) -> Iterator[Row]:
    for ply, move in enumerate(game.moves):
        yield (game.id, ply, *move)


Tally = Counter[tuple[str, str, str, int | None]]
OUTCOMES: Final = ("games", "wins", "draws", "losses")


def _fill_ladder(fill: Fill, size: Size, tally: Tally) -> None:
    rated = [("main", _version(bot), 1500.0, 60.0, 0.02, 0) for bot in _bots(size)]
    fill("entrants", ENTRANT_COLUMNS, rated)
    present = _bots(size)[: size.members]
    fill(
        "sessions",
        ("secret_hash", "name", "is_guest"),
        ((f"hash {name}", name, True) for name in present),
    )
    members = (("main", f"hash {name}") for name in present)
    fill("members", ("ladder", "secret_hash"), members)
    seats = {key[:3] for key in tally if key[0]}
    fill(
        "tallies",
        (*PAIR_COLUMNS, "wins", "draws", "losses"),
        (
            (
                ladder,
                _version(one),
                _version(two),
                *(tally[ladder, one, two, w] for w in (0, None, 1)),
            )
            for ladder, one, two in seats
        ),
    )
    pairs = {(ladder, *sorted((one, two))) for ladder, one, two in seats}
    columns = (*PAIR_COLUMNS, *(f"points_{half}" for half in range(5)))
    rows = ((ladder, _version(a), _version(b), 0, 0, 1, 0, 0) for ladder, a, b in pairs)
    fill("pairs", columns, rows)


class _StoredHistory:
    """What is counted by opening and length, and a rating for each day that a bot played."""

    def __init__(self, keys: dict[str, int]) -> None:
        self._keys = keys
        self._splits: Counter[tuple[int, str, str]] = Counter()
        self._points: dict[tuple[int, int, str, int], int] = {}

    def add(self, game: MadeUpGame) -> None:
        """Count a game."""
        day = date.fromisoformat(game.at[:10]).toordinal() - history.EPOCH
        length = len(game.moves) // totals.PLIES_A_CLASS * totals.PLIES_A_CLASS
        for bot in game.seats:
            key = self._keys[bot]
            self._splits[key, totals.CountedBy.OPENING, ""] += 1
            self._splits[key, totals.CountedBy.LENGTH, str(length)] += 1
            if game.ladder is not None:
                self._points[key, self._keys[game.ladder], _version(bot), day] = game.number

    def fill(self, fill: Fill) -> None:
        """Insert it."""
        splits = ((*key, count, count, 0, 0) for key, count in self._splits.items())
        fill("splits", ("bot", "kind", "value", *OUTCOMES), splits)
        columns = ("bot", "ladder", "entrant", "day", "elo", "error", "games")
        points = ((*key, 15_000 + at % 999, 400, at) for key, at in self._points.items())
        fill("points", columns, points)


def _fill_totals(fill: Fill, tally: Tally) -> None:
    duels: dict[tuple[str, ...], list[int]] = {}
    endings: dict[tuple[str, ...], list[int]] = {}
    players: dict[tuple[str, ...], list[int]] = {}
    met: dict[tuple[str, str], str] = {}
    for (ladder, south, north, winner), count in tally.items():
        for seat, (bot, other) in enumerate(((south, north), (north, south))):
            outcome = [count, 0, 0, 0]
            outcome[2 if winner is None else 1 if winner == seat else 3] = count
            entrant = _version(bot) if ladder else bot
            _add(endings, (bot, ladder, entrant, str(seat), str(Reason.NORMAL)), outcome)
            _add(players, (bot,), outcome)
            if seat == 0:
                _add(duels, (south, north), outcome)
            if ladder:
                met[ladder, bot] = other
    for table, keys, found in (
        ("duels", ("south", "north"), duels),
        ("endings", ("bot", "ladder", "entrant", "seat", "reason"), endings),
    ):
        fill(table, (*keys, *OUTCOMES), ((*key, *row) for key, row in found.items()))
    last = "2026-01-01T00:00:00.000+00:00"
    fill(
        "players",
        ("name", *OUTCOMES, "last_game_at"),
        ((*key, *row, last) for key, row in players.items()),
    )
    columns = ("ladder", "name", "other")
    fill("meetings", columns, ((*key, other) for key, other in met.items()))


def _add(sums: dict[tuple[str, ...], list[int]], key: tuple[str, ...], added: list[int]) -> None:
    kept = sums.setdefault(key, [0] * len(added))
    for place, count in enumerate(added):
        kept[place] += count


# Measuring


async def measure(place: str) -> dict[str, Any]:
    """Return what a start, a page and a game of a store cost."""
    began = time.perf_counter()
    async with Store(place, failed=_fail) as store:
        await store.unfinished()
        await store.ladders()
        start_s = time.perf_counter() - began
        async with Reader(place) as reader:
            pages = {
                name: await _p99_ms(ask)
                for name, ask in (await questions(Archive(reader, server="bench"))).items()
            }
    return {"start_s": round(start_s, 3), **sizes(place), "p99_ms": pages}


def sizes(place: str) -> dict[str, int]:
    """Return how many games a store has, and what one and a review take."""
    games = _asked(place, "SELECT count(*) FROM games")
    reviewed = _asked(place, "SELECT count(*) FROM reviews")
    of_reviews = _bytes_of_reviews(place) if reviewed else 0
    return {
        "games": games,
        "bytes_a_game": round((_bytes(place) - of_reviews) / max(1, games)),
        "bytes_a_review": round(of_reviews / max(1, reviewed)),
    }


async def questions(archive: Archive) -> dict[str, Callable[[], Awaitable[object]]]:
    """Return what the page and the API ask an archive, by name; each call asks it once."""
    first = (await archive.games(GameFilter(), after=None, limit=PAGE)).games
    (bot, other), game, match = first[0].players, first[0].game, first[0].match
    leading = tuple(_version(each.players[0]) for each in first[:8])
    last = GameKey(first[-1].started_at, first[-1].game)
    return {
        "games": lambda: archive.games(GameFilter(), after=None, limit=PAGE),
        "games, next page": lambda: archive.games(GameFilter(), after=last, limit=PAGE),
        "running games": lambda: archive.games(_running(), after=None, limit=PAGE),
        "games of a large ladder": lambda: archive.games(_of("main"), after=None, limit=PAGE),
        "games of a small ladder": lambda: archive.games(_of("blitz"), after=last, limit=PAGE),
        "games of no ladder": lambda: archive.games(_of("none"), after=None, limit=PAGE),
        "games of a bot": lambda: archive.games(GameFilter(bot), after=last, limit=PAGE),
        "games of a bot in a ladder": lambda: archive.games(
            GameFilter(bot, ladder="blitz"), after=last, limit=PAGE
        ),
        "games of a match": lambda: archive.games(GameFilter(match=match), after=None, limit=PAGE),
        "games of two bots": lambda: archive.games(
            GameFilter(bot, opponent=other), after=None, limit=PAGE
        ),
        "games lost in a month": lambda: archive.games(
            GameFilter(bot, result=BotResult.LOSS, since="2016-02", until="2016-03"),
            after=None,
            limit=PAGE,
        ),
        "games that ended in a rare way": lambda: archive.games(
            GameFilter(reason=Reason.WEDGED), after=None, limit=PAGE
        ),
        "ratings of a bot": lambda: archive.ratings_of(bot),
        "ratings in a ladder": lambda: archive.ratings_in("main", leading),
        "statistics of a bot": lambda: archive.statistics_of(bot),
        "head to head": lambda: archive.duel(bot, other),
        "bots": lambda: archive.bots(limit=PAGE),
        "bots, next page": lambda: archive.bots(after=bot, limit=PAGE),
        "bot": lambda: archive.bots(name=bot, limit=1),
        "record": lambda: archive.record(game),
        "neighbours": lambda: archive.neighbours(game),
        "match": lambda: archive.match(match),
        "latest reviews": lambda: archive.latest_reviews(PAGE),
        "accuracy of a bot": lambda: archive.accuracy_of(bot),
        "accuracy of a ladder's best": lambda: archive.accuracies("main", leading),
        "review": lambda: _review(archive, game),
        "games to review": archive.reviews_waiting,
        "events": archive.event_states,
        "event": lambda: archive.event("cup"),
        "running games of an event": lambda: archive.event_boards("cup"),
        "archive of an event": lambda: archive.event_archive("cup", ENDED, "{}"),
        "events played elsewhere": lambda: archive.submissions(tests=False),
        "tests played elsewhere": lambda: archive.submissions(tests=True),
        "event played elsewhere": lambda: archive.submission("0"),
        "outbox": archive.outbox_depth,
        "size of the outbox": archive.outbox_bytes,
    }


async def _review(archive: Archive, game: str) -> GameReview | None:
    """Ask for a review; a game may have none, and wait for none."""
    with suppress(LookupError):
        return await archive.review(game)
    return None


def _running() -> GameFilter:
    from mancala.server.model.schemas.games import GameStatus

    return GameFilter(status=GameStatus.RUNNING)


def _of(ladder: str) -> GameFilter:
    return GameFilter(ladder=ladder)


async def _p99_ms(ask: Callable[[], Awaitable[object]]) -> float:
    times = []
    for _ in range(TRIES):
        began = time.perf_counter()
        await ask()
        times.append(1000 * (time.perf_counter() - began))
    return round(sorted(times)[TRIES * 99 // 100 - 1], 2)


def _bytes(place: str) -> int:
    if not is_postgresql(place):
        return sum(path.stat().st_size for path in Path(place).parent.glob(f"{Path(place).name}*"))
    return _asked(
        place,
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
        "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
    )


def _bytes_of_reviews(place: str) -> int:
    """Return the size of the table of reviews with its indexes."""
    if is_postgresql(place):
        return _asked(place, "SELECT pg_total_relation_size('reviews')")
    return _asked(
        place,
        "SELECT sum(pgsize) FROM dbstat JOIN sqlite_master USING (name) WHERE tbl_name = 'reviews'",
    )


def _asked(place: str, query: str) -> int:
    with closing(connect(place, Access.READ)) as connection:
        return int(connection.exec_driver_sql(query).scalar_one() or 0)


def _fail(error: Exception) -> None:
    raise error


if __name__ == "__main__":
    app()
