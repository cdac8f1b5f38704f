"""Events in the store: their states, entrants, rounds, games, and the log of their steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import RowMapping, bindparam, delete, func, insert, literal_column, select, update

from mancala.protocol import codec
from mancala.protocol.record import GameRecord

from ...model.contests import (
    EntrantRow,
    EventArchive,
    EventBoardRow,
    EventEntrantsChanged,
    EventGameCounted,
    EventGameRow,
    EventImported,
    EventLogLine,
    EventMade,
    EventPaired,
    EventStands,
    EventStepped,
    KeptEvent,
    PairingRow,
)
from ..database.schema import (
    event_entrants,
    event_games,
    event_log,
    event_pairings,
    event_settings,
    events,
    games,
    imported_games,
    matches,
)
from ..database.upsert import upsert
from ..database.writer import Transaction
from .records import record_of

STEP: Final = upsert(events)
LOG: Final = insert(event_log)
LAST: Final = select(func.coalesce(func.max(event_log.c.number), literal_column("0"))).where(
    event_log.c.event == bindparam("key")
)
MOST_LINES: Final = 10_000
"""Older lines of an event's log go where they only say that a bot came or went."""
COMINGS: Final = ("enter", "withdraw")
FORGET_COMINGS: Final = delete(event_log).where(
    event_log.c.event == bindparam("key"),
    event_log.c.number <= bindparam("last"),
    event_log.c.step.in_([literal_column(f"'{step}'") for step in COMINGS]),
)
ENTER: Final = upsert(event_entrants)
GO: Final = delete(event_entrants).where(
    event_entrants.c.event == bindparam("key"), event_entrants.c.name == bindparam("bot")
)
PAIR: Final = insert(event_pairings)
COUNT: Final = upsert(event_games)
MAKE: Final = insert(event_settings)
KEEP_RECORD: Final = upsert(imported_games)
ANNUL: Final = (
    update(event_games)
    .where(event_games.c.game == bindparam("key"))
    .values(annulled=bindparam("new_annulled"))
)
STORED: Final = select(events, event_settings.c.settings, event_settings.c.origin).join_from(
    events, event_settings, events.c.name == event_settings.c.name, isouter=True
)
ARCHIVE_VERSION: Final = 2


def step(entry: EventStepped, transaction: Transaction) -> None:
    """Write where an event stands, and a line of its log.

    A bot may enter and withdraw without end, so the oldest lines of that kind go.
    """
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
    if entry.step in COMINGS and last >= MOST_LINES:
        transaction.put(FORGET_COMINGS, {"key": entry.event, "last": last + 1 - MOST_LINES})


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


def mark_annulled(transaction: Transaction, game: str, *, annulled: bool) -> None:
    """Mark a game of an event as annulled, or as one that counts; other games are not concerned."""
    transaction.put(ANNUL, {"key": game, "new_annulled": annulled})


def make(entry: EventMade, transaction: Transaction) -> None:
    """Write the settings of an event; one of that name is refused."""
    transaction.put(MAKE, {"name": entry.event, "settings": entry.settings, "origin": None})


def bring_in(entry: EventImported, transaction: Transaction) -> None:
    """Write an event of another server, with its log and the records of its games."""
    name, archive = entry.event, entry.archive
    text = codec.to_json(archive.settings).decode()
    transaction.put(MAKE, {"name": name, "settings": text, "origin": archive.server})
    rules = archive.regulations
    facts = {"name": name, "state": archive.state, "round": archive.round, "resumes": None}
    regulations = None if rules is None else codec.to_json(rules).decode()
    transaction.put(STEP, {**facts, "regulations": regulations})
    enter(EventEntrantsChanged(name, archive.entrants), transaction)
    pair(EventPaired(name, archive.pairings), transaction)
    for row in archive.games:
        count(EventGameCounted(name, row), transaction)
    for line in archive.log:
        transaction.put(LOG, {"event": name, **line._asdict()})
    for record in archive.records:
        said = codec.to_json(record).decode()
        transaction.put(KEEP_RECORD, {"id": record.game, "event": name, "record": said})


def imported_record(transaction: Transaction, game: str) -> GameRecord | None:
    """Return the record of a game of an imported event, or None."""
    query = select(imported_games.c.record).where(imported_games.c.id == game)
    text = transaction.execute(query).scalar_one_or_none()
    return None if text is None else codec.from_json(text, GameRecord)


def event_with_any(transaction: Transaction, games: Sequence[str]) -> str | None:
    """Return the event that has any of these games, held here or imported, or None."""
    for game in games:
        query = select(event_games.c.event).where(event_games.c.game == game).limit(1)
        if (event := transaction.execute(query).scalar_one_or_none()) is not None:
            return str(event)
    return None


def archive_of(
    transaction: Transaction, event: str, kept: KeptEvent, settings: str, server: str
) -> EventArchive:
    """Return an event as its archive file has it.

    Args:
        transaction: the transaction.
        event: the event's name.
        kept: what is stored of it.
        settings: its settings, as JSON.
        server: the name of this server.
    """
    records = (
        imported_record(transaction, row.game) or record_of(transaction, row.game, server)
        for row in kept.games
        if row.game is not None
    )
    rules = kept.regulations
    return EventArchive(
        event_archive=ARCHIVE_VERSION,
        server=kept.origin or server,
        settings=codec.from_json(settings, dict[str, Any]),
        state=kept.state,
        round=kept.round,
        regulations=None if rules is None else codec.from_json(rules, dict[str, Any]),
        entrants=kept.entrants,
        pairings=kept.pairings,
        games=kept.games,
        log=tuple(log_of(transaction, event)),
        records=tuple(each for each in records if each is not None),
    )


def kept_events(transaction: Transaction) -> dict[str, KeptEvent]:
    """Return the events of the previous process, by name."""
    found = transaction.execute(STORED.order_by(events.c.name)).mappings().all()
    return {row["name"]: _kept(transaction, row) for row in found}


def kept_event(transaction: Transaction, event: str) -> KeptEvent | None:
    """Return an event; None before its first step."""
    row = transaction.execute(STORED.where(events.c.name == event)).mappings().one_or_none()
    return None if row is None else _kept(transaction, row)


def event_states(transaction: Transaction) -> dict[str, EventStands]:
    """Return where each event stands that took a step, by name."""
    counted = (
        select(event_entrants.c.event, func.count().label("entrants"))
        .where(event_entrants.c.leaves.is_(None))
        .group_by(event_entrants.c.event)
    )
    entrants = {row.event: row.entrants for row in transaction.execute(counted)}
    return {
        row.name: EventStands(row.state, row.round, entrants.get(row.name, 0), row.settings)
        for row in transaction.execute(STORED.order_by(events.c.name))
    }


def boards_of(transaction: Transaction, event: str) -> tuple[EventBoardRow, ...]:
    """Return the games of an event that are being played."""
    query = (
        select(games.c.id, games.c.number, matches.c.event_game, matches.c.first, matches.c.second)
        .join_from(games, matches)
        .where(games.c.ended_at.is_(None), matches.c.event == event)
        .order_by(games.c.seq)
    )
    return tuple(
        EventBoardRow(
            *(row.event_game + row.number, row.id),
            *((row.second, row.first) if row.number % 2 else (row.first, row.second)),
        )
        for row in transaction.execute(query)
    )


def _kept(transaction: Transaction, row: RowMapping) -> KeptEvent:
    return KeptEvent(
        row["state"],
        row["round"],
        row["resumes"],
        row["regulations"],
        _entrants(transaction, row["name"]),
        _pairings(transaction, row["name"]),
        _games(transaction, row["name"]),
        row["settings"],
        row["origin"],
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
