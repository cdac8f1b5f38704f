"""The made-up archive of a store after years: which games it has, and the rows of each table."""

import random
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date
from functools import cache, partial
from itertools import islice
from typing import Any, Final, NamedTuple

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.referee import outcome
from mancala.protocol.review import ReviewedGame
from mancala.protocol.rules import Board, Rules
from mancala.server.model.journal import Recounted
from mancala.server.model.review.reviews import FinishedReview, Urgency
from mancala.server.model.timestamps import milliseconds_of
from mancala.server.reviews.dispatcher import finish
from mancala.server.store.carrying.copying import set_sequences
from mancala.server.store.database import bulk
from mancala.server.store.database.database import connect, vacuum
from mancala.server.store.database.packed import StoredMove, pack
from mancala.server.store.database.writer import Transaction
from mancala.server.store.rows import history, totals
from mancala.server.store.rows.matches import text_of
from mancala.server.store.upkeep.recount import rewrite

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


RULES: Final = text_of(Rules())
CLOCK: Final = text_of(TimeControl(move_ms=1000))

Row = tuple[Any, ...]
Fill = Callable[[str, Sequence[str], Iterable[Row]], None]
"""Inserts rows into a table, by the names of its columns."""


class Size(NamedTuple):
    """How large an archive is: games, bots, pairs of them that met, and members of the ladder.

    ``reviewed_lines`` of the ``LINES`` sequences of moves have a review.
    """

    games: int = GAMES
    entrants: int = ENTRANTS
    pairings: int = PAIRINGS
    members: int = MEMBERS
    reviewed_lines: int = 0


class MadeUpGame(NamedTuple):
    number: int
    match: str
    ladder: str | None
    seats: tuple[str, str]
    result: Outcome
    moves: list[StoredMove]

    @property
    def id(self) -> str:
        return f"{self.number * 0x9E3779B97F4B & 0xFFFFFFFFFFFF:012x}"

    @property
    def at(self) -> str:
        second = 5 * self.number
        day, clock = divmod(second, 86_400)
        return (
            f"20{16 + day // 336:02}-{day % 336 // 28 + 1:02}-{day % 28 + 1:02}"
            f"T{clock // 3600:02}:{clock % 3600 // 60:02}:{clock % 60:02}.000+00:00"
        )


def make(place: str, size: Size) -> None:
    with closing(connect(place)) as connection:
        with connection.begin():
            _fill_all(partial(bulk.fill, connection), size)
            rewrite(Recounted(), Transaction(connection))
            set_sequences(connection)
        vacuum(connection)


def _fill_all(fill: Fill, size: Size) -> None:
    games = played(size)
    met: dict[tuple[str, str], str] = {}
    keys = {name: key for key, name in enumerate(("main", "blitz", *_bots(size)), start=1)}
    past = _StoredHistory(keys)
    lines = _lines(random.Random(SEED))[: size.reviewed_lines]  # noqa: S311  # those played
    reviewed = {line.pits for line in lines}
    while chunk := list(islice(games, CHUNK)):
        fill("matches", MATCH_COLUMNS, map(_match_row, chunk[::2], chunk[1::2]))
        rows = ((*_game_row(game), *_packed_row(game, keys)) for game in chunk)
        fill("games", (*GAME_COLUMNS, *PACKED_COLUMNS), rows)
        fill("reviews", REVIEW_COLUMNS, _review_rows(reviewed, chunk))
        for game in chunk:
            if game.ladder is not None:
                south, north = game.seats
                met.update({(game.ladder, south): north, (game.ladder, north): south})
            past.add(game)
    _fill_ladder(fill, size)
    past.fill(fill)
    fill("names", ("key", "name"), ((key, name) for name, key in keys.items()))
    fill("meetings", ("ladder", "name", "other"), ((*key, other) for key, other in met.items()))


MATCH_COLUMNS: Final = (
    *("id", "first", "second", "rules", "clock", "rated", "games", "first_points"),
    *("second_points", "began_at", "ended_at", "ladder", "first_entrant", "second_entrant"),
)
GAME_COLUMNS: Final = (
    *("id", "match", "number", "began_at", "ended_at"),
    *("winner", "south_store", "north_store", "reason"),
)
ENTRANT_COLUMNS: Final = ("ladder", "name", "elo", "deviation", "volatility", "strikes")
PACKED_COLUMNS: Final = ("seq", "ladder", "south", "north", "plies", "packed")


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
            reason = rng.choices((Reason.NORMAL, Reason.TIMEOUT, Reason.RESIGNED), (90, 5, 5))[0]
            pits, result = _ended(rng, rng.choice(lines), reason)
            yield MadeUpGame(number + half, match, ladder, seats, result, _moves(rng, pits))


class _Line(NamedTuple):
    """A game played to its end: its pits, and the boards before each and after the last."""

    pits: tuple[int, ...]
    boards: tuple[Board, ...]


def _lines(rng: random.Random) -> list[_Line]:
    return [_line(rng) for _ in range(LINES)]


def _line(rng: random.Random) -> _Line:
    boards, pits = [Board.start(Rules())], list[int]()
    while boards[-1].ending is None:
        pits.append(rng.choice(boards[-1].legal()))
        boards.append(boards[-1].sow(pits[-1]).board)
    return _Line(tuple(pits), tuple(boards))


def _ended(rng: random.Random, line: _Line, reason: Reason) -> tuple[tuple[int, ...], Outcome]:
    """Return the moves and the result of a game that ends so: with its line, or on the way."""
    natural = outcome(line.boards[-1])
    if natural is not None and reason is Reason.NORMAL:
        return line.pits, natural
    plies = rng.randrange(len(line.pits))
    board = line.boards[plies]
    return line.pits[:plies], Outcome(1 - board.player, board.stores, reason)


def _moves(rng: random.Random, pits: Iterable[int]) -> list[StoredMove]:
    return [
        StoredMove(
            pit, int(200_000 * rng.random()) / 1000, int(3000 * rng.random()) / 1000, forced=False
        )
        for pit in pits
    ]


def _bots(size: Size) -> list[str]:
    return [f"bot{number:05}" for number in range(size.entrants)]


def version_of(bot: str) -> str:
    return f"{bot}@1.0"


def _match_row(game: MadeUpGame, again: MadeUpGame) -> Row:
    first, second = game.seats
    versions = (None, None) if game.ladder is None else (version_of(first), version_of(second))
    points = _points(game, 0) + _points(again, 1), _points(game, 1) + _points(again, 0)
    terms = (RULES, CLOCK, True, GAMES_A_MATCH, *points)
    return (game.match, first, second, *terms, game.at, game.at, game.ladder, *versions)


def _points(game: MadeUpGame, seat: int) -> float:
    return 0.5 if game.result.winner is None else float(game.result.winner == seat)


def _game_row(game: MadeUpGame) -> Row:
    half = game.number % GAMES_A_MATCH
    ending = (game.result.winner, *game.result.stores, str(game.result.reason))
    return (game.id, game.match, half, game.at, game.at, *ending)


def _packed_row(game: MadeUpGame, keys: dict[str, int]) -> Row:
    south, north = game.seats
    ladder = keys[game.ladder] if game.ladder else None
    return (game.number, ladder, keys[south], keys[north], len(game.moves), pack(game.moves))


def _review_rows(lines: Container[tuple[int, ...]], games: Iterable[MadeUpGame]) -> Iterator[Row]:
    for game in games:
        line = tuple(move.pit for move in game.moves)
        if line in lines:
            found = _reviewed(line)
            about = (game.id, "main", *map(version_of, game.seats), int(Urgency.OTHER))
            review = found.review.version, found.review.proven, "reviewer-1", found.body
            yield (*about, milliseconds_of(game.at), *review)


OUTCOMES: Final = ("games", "wins", "draws", "losses")


def _fill_ladder(fill: Fill, size: Size) -> None:
    rated = [("main", version_of(bot), 1500.0, 60.0, 0.02, 0) for bot in _bots(size)]
    fill("entrants", ENTRANT_COLUMNS, rated)
    present = _bots(size)[: size.members]
    fill(
        "sessions",
        ("secret_hash", "name", "is_guest"),
        ((f"hash {name}", name, True) for name in present),
    )
    members = (("main", f"hash {name}") for name in present)
    fill("members", ("ladder", "secret_hash"), members)


class _StoredHistory:
    """What is counted by opening and length, and a rating for each day that a bot played."""

    def __init__(self, keys: dict[str, int]) -> None:
        self._keys = keys
        self._splits: Counter[tuple[int, str, str]] = Counter()
        self._points: dict[tuple[int, int, str, int], int] = {}

    def add(self, game: MadeUpGame) -> None:
        day = date.fromisoformat(game.at[:10]).toordinal() - history.EPOCH
        length = len(game.moves) // totals.PLIES_A_CLASS * totals.PLIES_A_CLASS
        for bot in game.seats:
            key = self._keys[bot]
            self._splits[key, totals.CountedBy.OPENING, ""] += 1
            self._splits[key, totals.CountedBy.LENGTH, str(length)] += 1
            if game.ladder is not None:
                self._points[key, self._keys[game.ladder], version_of(bot), day] = game.number

    def fill(self, fill: Fill) -> None:
        splits = ((*key, count, count, 0, 0) for key, count in self._splits.items())
        fill("splits", ("bot", "kind", "value", *OUTCOMES), splits)
        columns = ("bot", "ladder", "entrant", "day", "elo", "error", "games")
        points = ((*key, 15_000 + at % 999, 400, at) for key, at in self._points.items())
        fill("points", columns, points)


REVIEW_COLUMNS: Final = (
    *("game", "ladder", "first", "second", "urgency", "ended_ms"),
    *("version", "proven", "reviewer", "body"),
)
REVIEW_S: Final = 2.8
"""The house reviewers' time for a game by default."""


@cache
def _reviewed(line: tuple[int, ...]) -> FinishedReview:
    from mancala.engine.game_reviews import ReviewerPool

    boards = [Board.start(Rules())]
    for pit in line:
        boards.append(boards[-1].sow(pit).board)
    found = finish(
        ReviewedGame("", boards, line, 0), ReviewerPool().work(boards, line, time_s=REVIEW_S)
    )
    if not isinstance(found, FinishedReview):
        raise found
    return found
