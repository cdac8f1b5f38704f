"""What a store holds, read with plain SQL by none of the server's code."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.rules import Rules

GAMES: Final = """
select games.id, games.match, matches.first, matches.second, games.number, matches.rated,
       matches.ladder, matches.rules, matches.clock, games.winner, games.south_store,
       games.north_store, games.reason,
       coalesce(matches.first_entrant, matches.first),
       coalesce(matches.second_entrant, matches.second), games.packed, games.annulled_at,
       games.ended_at
from games join matches on matches.id = games.match order by games.id
"""
MATCHES: Final = """
select id, first, second, games, first_points, second_points, ladder, began_at, ended_at
from matches where ended_at is not null order by id
"""

SEALED: Final = "select entry from sealed where kind = 'GameClosed'"
REVIEWS: Final = """
select game, ladder, first, second, version, body
from reviews where version is not null order by game
"""
OWNERLESS: Final = """
select count(*) from members where secret_hash not in (select secret_hash from sessions)
"""
LAST_DIGIT: Final = 0x80
"""The last digit of a packed number is below it."""
IN_BYTES: Final = (1, 2)
WITH_SWAP: Final = 4
HAS_NO_LAG: Final = 0x20
HAS_WIDE_PITS: Final = 0x40
"""Versions of packed moves, and bits beside them."""
NO_MOVES: Final = bytes((IN_BYTES[0], 0))
UNREVIEWED: Final = """
select count(*) from games where ended_at is not null and plies > 0
  and games.id not in (select game from reviews where version is not null)
  and not exists (select 1 from admin_log where instr(what, games.id))
"""
ACCURACIES: Final = """
select ladder, name, phase, games, moves, best, lost, moves_squared, moves_lost, lost_squared
from accuracies
"""
PROMPT: Final = "select seq from outbox where refusals = 0"


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A finished game as the database has it."""

    game: str
    match: str
    number: int
    names: tuple[str, str]
    rated: bool
    ladder: str | None
    rules: Rules
    clock: TimeControl
    winner: int | None
    stores: tuple[int, int]
    reason: Reason
    pits: tuple[int, ...]
    entrants: tuple[str, str]
    is_annulled: bool

    @property
    def counts(self) -> bool:
        return self.rated and self.reason is not Reason.ABORTED and not self.is_annulled

    @property
    def lasting(self) -> str:
        """The name under which its ladder goes on; a season that is over has a number more."""
        return (self.ladder or "").partition("-")[0]


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A finished match as the database has it."""

    match: str
    names: tuple[str, str]
    games: int
    points: tuple[float, float]
    ladder: str | None
    began_at: str
    ended_at: str


Accuracies = dict[tuple[str, str, str], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class StoredReview:
    """The review of a game as the database has it.

    Attributes:
        ladder: the ladder it was played in; empty for none.
    """

    game: str
    ladder: str
    names: tuple[str, str]
    version: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """A whole store.

    Attributes:
        pairs: side-swapped pairs by ladder and entrants: how many of each number of half points.
        accuracies: by ladder (empty for none), version and phase: what its reviews add up to.
        hidden: games that ended, which their event hides.
        prompt: the numbers of the payloads in the outbox that were never put aside.
    """

    games: tuple[StoredGame, ...]
    unfinished: dict[str, tuple[int, ...]]
    matches: tuple[StoredMatch, ...]
    sessions: tuple[str, ...]
    members: int
    penalties: dict[str, int]
    pairs: dict[tuple[str, str, str], tuple[int, ...]]
    reviews: tuple[StoredReview, ...] = ()
    accuracies: Accuracies = field(default_factory=dict)
    submissions: dict[str, str] = field(default_factory=dict)
    hidden: tuple[StoredGame, ...] = ()
    prompt: frozenset[int] = frozenset()


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def unpublished(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("select count(*) from outbox where published_at is null")
        return int(rows.fetchone()[0])


def unreviewed(path: Path) -> int:
    """Return how many finished games with moves have no review; those that count at all times."""
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(UNREVIEWED).fetchone()[0])


def ownerless(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(OWNERLESS).fetchone()[0])


def read(path: Path) -> Stored:
    with closing(sqlite3.connect(path)) as connection:
        pits: dict[str, list[int]] = {}
        for game, pit in connection.execute("select game, pit from moves order by game, ply"):
            pits.setdefault(game, []).append(pit)
        rows = connection.execute(GAMES).fetchall()
        finished = tuple(_game(row) for row in rows if row[-1] is not None)
        sealed = (codec.from_json(text, dict[str, Any]) for (text,) in connection.execute(SEALED))
        ends = {each["game"]: each["ended"] for each in sealed}
        hidden = (
            _hidden(row, ends[row[0]], pits.get(row[0], ())) for row in rows if row[0] in ends
        )
        names = connection.execute("select name from sessions order by name")
        penalties = connection.execute("select name, strikes from entrants")
        pairs = connection.execute(
            "select ladder, first, second, points_0, points_1, points_2, points_3, points_4"
            " from pairs"
        )
        return Stored(
            games=finished,
            unfinished={game: tuple(row) for game, row in pits.items()},
            matches=tuple(_match(row) for row in connection.execute(MATCHES)),
            sessions=tuple(name for (name,) in names),
            members=connection.execute("select count(*) from members").fetchone()[0],
            penalties=dict(penalties.fetchall()),
            pairs={
                (ladder, first, second): tuple(counts) for ladder, first, second, *counts in pairs
            },
            reviews=tuple(_review(row) for row in connection.execute(REVIEWS)),
            accuracies={
                (ladder, name, phase): tuple(sums)
                for ladder, name, phase, *sums in connection.execute(ACCURACIES)
            },
            submissions=dict(
                connection.execute("select key, document from submissions").fetchall()
            ),
            hidden=tuple(hidden),
            prompt=frozenset(seq for (seq,) in connection.execute(PROMPT)),
        )


def _game(row: tuple[Any, ...]) -> StoredGame:
    game, match, first, second, number, rated, ladder, rules, clock, winner, south, north = row[:12]
    return StoredGame(
        game,
        match,
        number,
        (first, second) if number % 2 == 0 else (second, first),
        bool(rated),
        ladder,
        codec.from_json(rules, Rules),
        codec.from_json(clock, TimeControl),
        winner,
        (south, north),
        Reason(row[12]),
        _pits(row[15]),
        (row[13], row[14]) if number % 2 == 0 else (row[14], row[13]),
        row[16] is not None,
    )


def _hidden(row: tuple[Any, ...], ended: dict[str, Any], pits: Sequence[int]) -> StoredGame:
    end = ended["winner"], *ended["stores"], ended["reason"]
    return replace(_game((*row[:9], *end, *row[13:15], NO_MOVES, None, None)), pits=tuple(pits))


def _pits(packed: bytes) -> tuple[int, ...]:
    """Return the pits in a game's packed moves; see the server's ``packed.py``."""
    version = packed[0] & 0x0F
    count, at = _number(packed, 1)
    if version in IN_BYTES:
        return tuple(packed[at + ply // 2] >> 4 * (ply % 2) & 0x0F for ply in range(count))
    if version == WITH_SWAP:
        _swap, at = _number(packed, at)
    forced, at = _number(packed, at)
    for _ in range(forced):
        _ply, at = _number(packed, at)
    at += 1 if packed[0] & HAS_NO_LAG else 2
    width = 4 if packed[0] & HAS_WIDE_PITS else 3
    bits = "".join(f"{byte:08b}" for byte in packed[at:])
    return tuple(int(bits[width * ply : width * (ply + 1)], 2) for ply in range(count))


def _number(packed: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        number |= (packed[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if packed[at - 1] < LAST_DIGIT:
            return number, at


def _match(row: tuple[Any, ...]) -> StoredMatch:
    match, first, second, games, one, two, ladder, began_at, ended_at = row
    return StoredMatch(match, (first, second), games, (one, two), ladder, began_at, ended_at)


def _review(row: tuple[Any, ...]) -> StoredReview:
    game, ladder, first, second, version, body = row
    return StoredReview(game, ladder or "", (first, second), version, body)
