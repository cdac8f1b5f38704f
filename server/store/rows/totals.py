"""What the games of bots come to, kept up to date by the transaction that ends each game."""

from enum import StrEnum
from typing import Final

from sqlalchemy import bindparam, case, delete, select
from sqlalchemy.dialects.postgresql import Insert, insert

from mancala.protocol import codec
from mancala.protocol.messages import Reason

from ..database.schema import (
    OUTCOMES,
    accuracies,
    duels,
    endings,
    games,
    matches,
    pairs,
    players,
    splits,
)
from ..database.statements import accumulate
from ..database.writer import Transaction

NO_LADDER: Final = ""

PLAYED: Final = (
    select(
        games.c.number,
        *(matches.c[name] for name in ("first", "second", "ladder")),
        *(matches.c[name] for name in ("first_entrant", "second_entrant", "openings")),
        *(games.c[name] for name in ("winner", "reason", "ended_at", "plies", "south", "north")),
    )
    .join_from(games, matches)
    .where(games.c.id == bindparam("key"))
)
COUNT_ENDING: Final = accumulate(endings)
COUNT_DUEL: Final = accumulate(duels)
COUNT_SPLIT: Final = accumulate(splits)
PLIES_A_CLASS: Final = 10


class CountedBy(StrEnum):
    """By what the games of a bot are counted apart."""

    OPENING = "opening"
    """The position it began from, as text; empty for the standard start."""
    LENGTH = "length"
    """The number of sowings, rounded down to a multiple of :data:`PLIES_A_CLASS`."""


def _count_player() -> Insert:
    row = insert(players)
    added, kept = row.excluded, players.c
    sums = {name: kept[name] + added[name] for name in OUTCOMES}
    is_later = added.last_game_at > kept.last_game_at
    latest = case((is_later, added.last_game_at), else_=kept.last_game_at)
    return row.on_conflict_do_update(index_elements=["name"], set_={**sums, "last_game_at": latest})


COUNT_PLAYER: Final = _count_player()


def count(transaction: Transaction, game: str, *, sign: int = 1) -> None:
    """Add a game that ended to the totals of its bots, or take it away with ``sign`` -1."""
    [row] = transaction.fetch(PLAYED, {"key": game})
    number, first, second, ladder, first_entrant, second_entrant, openings, *ended = row
    winner, reason, at, plies, *keys = ended
    sides = ((first, first_entrant or first), (second, second_entrant or second))
    seats = sides if number % 2 == 0 else sides[::-1]
    is_void = reason == Reason.ABORTED
    outcomes = [_outcome(winner, seat, sign, is_void=is_void) for seat in (0, 1)]
    for seat, (bot, entrant) in enumerate(seats):
        key = {"bot": bot, "ladder": ladder or NO_LADDER, "entrant": entrant, "seat": seat}
        transaction.put(COUNT_ENDING, {**key, "reason": reason, **outcomes[seat]})
    if is_void:
        return
    south, north = seats[0][0], seats[1][0]
    transaction.put(COUNT_DUEL, {"south": south, "north": north, **outcomes[0]})
    for name, outcome in zip((south, north), outcomes, strict=True):
        transaction.put(COUNT_PLAYER, {"name": name, **outcome, "last_game_at": at})
    length = str(plies // PLIES_A_CLASS * PLIES_A_CLASS)
    values = {CountedBy.OPENING: _opening(openings, number), CountedBy.LENGTH: length}
    for bot, outcome in zip(keys, outcomes, strict=True):
        for kind, value in values.items():
            transaction.put(COUNT_SPLIT, {"bot": bot, "kind": kind, "value": value, **outcome})


def _opening(openings: str | None, number: int) -> str:
    if openings is None:
        return ""
    literals = codec.from_json(openings, tuple[str, ...])
    return literals[number // 2 % len(literals)]


def forget_empty(transaction: Transaction) -> None:
    for table in (endings, duels, players, splits, accuracies):
        transaction.execute(delete(table).where(table.c.games == 0)).close()
    numbers = [column == 0 for column in pairs.columns if not column.primary_key]
    transaction.execute(delete(pairs).where(*numbers)).close()


def _outcome(winner: int | None, seat: int, sign: int, *, is_void: bool) -> dict[str, int]:
    won, drawn, lost = winner == seat, winner is None, winner == 1 - seat
    counts = (1, 0, 0, 0) if is_void else (1, won, drawn, lost)
    return {name: sign * count for name, count in zip(OUTCOMES, counts, strict=True)}
