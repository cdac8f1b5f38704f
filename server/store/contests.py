"""Events in the store: their states, entrants, rounds, games, and the log of their steps."""

from __future__ import annotations

from typing import Final

from sqlalchemy import RowMapping, bindparam, delete, func, insert, literal_column, select

from mancala.server.model.contests import (
    EntrantRow,
    EventEntrantsChanged,
    EventGameCounted,
    EventGameRow,
    EventLogLine,
    EventPaired,
    EventStepped,
    KeptEvent,
    PairingRow,
)
from mancala.server.store.schema import (
    event_entrants,
    event_games,
    event_log,
    event_pairings,
    events,
)
from mancala.server.store.upsert import upsert
from mancala.server.store.writer import Transaction

STEP: Final = upsert(events)
LOG: Final = insert(event_log)
LAST: Final = select(func.coalesce(func.max(event_log.c.number), literal_column("0"))).where(
    event_log.c.event == bindparam("key")
)
ENTER: Final = upsert(event_entrants)
GO: Final = delete(event_entrants).where(
    event_entrants.c.event == bindparam("key"), event_entrants.c.name == bindparam("bot")
)
PAIR: Final = insert(event_pairings)
COUNT: Final = upsert(event_games)


def step(entry: EventStepped, transaction: Transaction) -> None:
    """Write where an event stands, and a line of its log."""
    [(last,)] = transaction.fetch(LAST, {"key": entry.event})
    transaction.put(
        STEP,
        {
            "name": entry.event,
            "state": entry.state,
            "round": entry.round,
            "resumes": entry.resumes,
            "regulations": entry.regulations,
        },
    )
    transaction.put(
        LOG,
        {
            "event": entry.event,
            "number": last + 1,
            "at": entry.at,
            "step": entry.step,
            "by": entry.by,
            "why": entry.why,
        },
    )


def enter(entry: EventEntrantsChanged, transaction: Transaction) -> None:
    """Write entrants with their places, and delete those who are gone."""
    for name in entry.gone:
        transaction.put(GO, {"key": entry.event, "bot": name})
    for place, entrant in enumerate(entry.entrants, start=entry.first):
        transaction.put(ENTER, {"event": entry.event, "place": place, **entrant._asdict()})


def pair(entry: EventPaired, transaction: Transaction) -> None:
    """Write a round; one that is stored already is refused."""
    for pairing in entry.pairings:
        transaction.put(PAIR, {"event": entry.event, **pairing._asdict()})


def count(entry: EventGameCounted, transaction: Transaction) -> None:
    """Write what came of a game."""
    transaction.put(COUNT, {"event": entry.event, **entry.row._asdict()})


def kept_events(transaction: Transaction) -> dict[str, KeptEvent]:
    """Return the events of the previous process, by name."""
    found = transaction.execute(select(events).order_by(events.c.name)).mappings().all()
    return {row["name"]: _kept(transaction, row) for row in found}


def kept_event(transaction: Transaction, event: str) -> KeptEvent | None:
    """Return an event; None before its first step."""
    query = select(events).where(events.c.name == event)
    row = transaction.execute(query).mappings().one_or_none()
    return None if row is None else _kept(transaction, row)


def event_states(transaction: Transaction) -> dict[str, tuple[str, int, int]]:
    """Return the state and round of each event that took a step, and its stored entrants."""
    counted = (
        select(event_entrants.c.event, func.count().label("entrants"))
        .where(event_entrants.c.leaves.is_(None))
        .group_by(event_entrants.c.event)
    )
    entrants = {row.event: row.entrants for row in transaction.execute(counted)}
    query = select(events.c.name, events.c.state, events.c.round)
    return {
        row.name: (row.state, row.round, entrants.get(row.name, 0))
        for row in transaction.execute(query)
    }


def _kept(transaction: Transaction, row: RowMapping) -> KeptEvent:
    return KeptEvent(
        row["state"],
        row["round"],
        row["resumes"],
        row["regulations"],
        _entrants(transaction, row["name"]),
        _pairings(transaction, row["name"]),
        _games(transaction, row["name"]),
    )


def log_of(transaction: Transaction, event: str) -> list[EventLogLine]:
    """Return the steps that an event took, in order."""
    columns = [event_log.c[name] for name in EventLogLine._fields]
    query = select(*columns).where(event_log.c.event == event).order_by(event_log.c.number)
    return [EventLogLine._make(row) for row in transaction.execute(query)]


def _entrants(transaction: Transaction, event: str) -> tuple[EntrantRow, ...]:
    columns = [event_entrants.c[name] for name in EntrantRow._fields]
    query = select(*columns).where(event_entrants.c.event == event)
    rows = transaction.execute(query.order_by(event_entrants.c.place))
    return tuple(EntrantRow._make(row) for row in rows)


def _pairings(transaction: Transaction, event: str) -> tuple[PairingRow, ...]:
    columns = [event_pairings.c[name] for name in PairingRow._fields]
    query = select(*columns).where(event_pairings.c.event == event)
    rows = transaction.execute(query.order_by(event_pairings.c.round, event_pairings.c.place))
    return tuple(PairingRow._make(row) for row in rows)


def _games(transaction: Transaction, event: str) -> tuple[EventGameRow, ...]:
    columns = [event_games.c[name] for name in EventGameRow._fields]
    query = select(*columns).where(event_games.c.event == event)
    rows = transaction.execute(query.order_by(event_games.c.number))
    return tuple(EventGameRow._make(row) for row in rows)
