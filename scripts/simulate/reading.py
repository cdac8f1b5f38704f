"""What a store holds at the end, read with plain SQL by none of the server's code."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from protocol import codec
from protocol.clock import TimeControl
from protocol.messages import Reason
from protocol.rules import Rules
from scripts.simulate.promises import Stored

GAMES: Final = """
select games.id, matches.first, matches.second, games.number, matches.rated, matches.ladder,
       matches.rules, matches.clock, games.winner, games.south_store, games.north_store,
       games.reason, games.ended_at
from games join matches on matches.id = games.match order by games.id
"""


def sessions(path: Path) -> list[str]:
    """Return the names of the sessions that are kept."""
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("select name from sessions order by name")]


def games(path: Path) -> tuple[list[Stored], dict[str, tuple[int, ...]]]:
    """Return the finished games, and the pits sown in the others."""
    with closing(sqlite3.connect(path)) as connection:
        pits: dict[str, list[int]] = {}
        for game, pit in connection.execute("select game, pit from moves order by game, ply"):
            pits.setdefault(game, []).append(pit)
        rows = connection.execute(GAMES).fetchall()
    finished = [_stored(row, pits) for row in rows if row[-1] is not None]
    ended = {stored.game for stored in finished}
    return finished, {game: tuple(row) for game, row in pits.items() if game not in ended}


def _stored(row: tuple[Any, ...], pits: dict[str, list[int]]) -> Stored:
    game, first, second, number, rated, ladder, rules, clock, winner, south, north, reason, _ = row
    return Stored(
        game,
        (first, second) if number % 2 == 0 else (second, first),
        bool(rated),
        ladder,
        codec.from_json(rules, Rules),
        codec.from_json(clock, TimeControl),
        winner,
        (south, north),
        Reason(reason),
        tuple(pits.get(game, ())),
    )
