"""How each journal entry is written: one function a kind, all called in the writer's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import bindparam, delete, insert, select, update

from protocol import codec
from server.journal import (
    Announcement,
    Entry,
    GameClosed,
    GameOpened,
    MatchClosed,
    MatchOpened,
    MovePlayed,
    SessionClosed,
    SessionOpened,
)
from server.store.schema import counters, games, matches, moves, outbox, sessions
from server.store.writer import Transaction

OPEN_SESSION: Final = insert(sessions)
CLOSE_SESSION: Final = delete(sessions).where(sessions.c.secret_hash == bindparam("key"))
OPEN_MATCH: Final = insert(matches)
CLOSE_MATCH: Final = (
    update(matches)
    .where(matches.c.id == bindparam("key"))
    .values(
        first_points=bindparam("new_first"),
        second_points=bindparam("new_second"),
        ended_at=bindparam("new_ended_at"),
    )
)
OPEN_GAME: Final = insert(games)
CLOSE_GAME: Final = (
    update(games)
    .where(games.c.id == bindparam("key"))
    .values(
        {
            name: bindparam(f"new_{name}")
            for name in ("ended_at", "winner", "south_store", "north_store", "reason", "evidence")
        }
    )
)
PLAY_MOVE: Final = insert(moves)
ANNOUNCE: Final = insert(outbox)
COUNT: Final = update(counters).where(counters.c.name == "seq").values(value=counters.c.value + 1)
COUNTED: Final = select(counters.c.value).where(counters.c.name == "seq")


def write_all(entries: Sequence[Entry], transaction: Transaction) -> None:
    """Write the entries, in order."""
    for entry in entries:
        WRITERS[type(entry)](entry, transaction)


def _open_session(entry: SessionOpened, transaction: Transaction) -> None:
    row = {"secret_hash": entry.secret_hash, "name": entry.name, "agent": as_text(entry.agent)}
    transaction.put(OPEN_SESSION, row)


def _close_session(entry: SessionClosed, transaction: Transaction) -> None:
    transaction.put(CLOSE_SESSION, {"key": entry.secret_hash})


def _open_match(entry: MatchOpened, transaction: Transaction) -> None:
    terms = entry.terms
    transaction.put(
        OPEN_MATCH,
        {
            "id": entry.match,
            "first": entry.names[0],
            "second": entry.names[1],
            "rules": as_text(terms.rules),
            "clock": as_text(terms.clock),
            "rated": terms.rated,
            "games": terms.games,
            "began_at": entry.at,
        },
    )


def _close_match(entry: MatchClosed, transaction: Transaction) -> None:
    first, second = entry.points
    transaction.put(
        CLOSE_MATCH,
        {
            "key": entry.match,
            "new_first": first,
            "new_second": second,
            "new_ended_at": entry.at,
        },
    )
    _announce(entry.result, transaction)


def _open_game(entry: GameOpened, transaction: Transaction) -> None:
    transaction.put(
        OPEN_GAME,
        {"id": entry.game, "match": entry.match, "number": entry.number, "began_at": entry.at},
    )


def _close_game(entry: GameClosed, transaction: Transaction) -> None:
    winner, stores, reason, evidence = entry.ended
    transaction.put(
        CLOSE_GAME,
        {
            "key": entry.game,
            "new_ended_at": entry.at,
            "new_winner": winner,
            "new_south_store": stores[0],
            "new_north_store": stores[1],
            "new_reason": str(reason),
            "new_evidence": as_text(evidence),
        },
    )
    _announce(entry.result, transaction)


def _play_move(played: MovePlayed, transaction: Transaction) -> None:
    transaction.put(
        PLAY_MOVE,
        {
            "game": played.game,
            "ply": played.ply,
            "pit": played.entry.pit,
            "elapsed_ms": played.entry.elapsed_ms,
            "lag_ms": played.entry.lag_ms,
            "forced": played.forced,
            "info": as_text(played.info),
        },
    )


def _announce(announcement: Announcement, transaction: Transaction) -> None:
    transaction.execute(COUNT)
    seq: int = transaction.execute(COUNTED).scalar_one()
    payload = codec.to_json(announcement.payload(seq)).decode()
    topic, event_id = announcement.topic, announcement.event_id
    row = {"seq": seq, "event_id": event_id, "topic": topic, "payload": payload}
    transaction.put(ANNOUNCE, row)


def as_text(part: object | None) -> str | None:
    """Write a part of an entry as JSON; None stays None."""
    return None if part is None else codec.to_json(part).decode()


WRITERS: Final[dict[type[Entry], Callable[[Any, Transaction], None]]] = {
    SessionOpened: _open_session,
    SessionClosed: _close_session,
    MatchOpened: _open_match,
    MatchClosed: _close_match,
    GameOpened: _open_game,
    GameClosed: _close_game,
    MovePlayed: _play_move,
}
