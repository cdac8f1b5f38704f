"""Events in the store: their states, entrants, rounds, games, and the log of their steps."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from sqlalchemy import (
    RowMapping,
    Table,
    bindparam,
    delete,
    func,
    insert,
    literal_column,
    select,
    update,
)

from mancala.protocol import codec
from mancala.protocol.record import GameRecord

from ...model.contests import (
    EntrantRow,
    EventArchive,
    EventBoard,
    EventDeleted,
    EventEdited,
    EventEntrantsChanged,
    EventGameRow,
    EventImported,
    EventLogLine,
    EventMade,
    EventPaired,
    EventStands,
    EventStepped,
    KeptEvent,
    PairingRow,
    numbered,
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
from ..database.shapes import as_text, row_of, things
from ..database.statements import change, changed, remove, upsert
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
GO: Final = remove(event_entrants)
PAIR: Final = insert(event_pairings)
COUNT: Final = upsert(event_games)
MAKE: Final = insert(event_settings)
EDIT: Final = change(event_settings, "settings")
DELETE: Final = (
    *(delete(each).where(each.c.event == bindparam("key")) for each in (event_entrants, event_log)),
    *(delete(each).where(each.c.name == bindparam("key")) for each in (events, event_settings)),
)
KEEP_RECORD: Final = upsert(imported_games)
ANNUL: Final = (
    update(event_games)
    .where(event_games.c.game == bindparam("key"))
    .values(annulled=bindparam("new_annulled"))
)
STORED: Final = select(events, event_settings.c.settings, event_settings.c.origin).join_from(
    events, event_settings, events.c.name == event_settings.c.name, isouter=True
)
SINCE: Final = select(
    func.max(event_log.c.at).filter(event_log.c.step == "close").label("closed"),
    func.count().filter(event_log.c.step == "reveal").label("revealed"),
)
"""What the log of an event says: when its last round was closed, and how many were revealed."""
OF_THE_EVENT: Final = ("state", "round", "resumes", "regulations", "settings", "origin")
ARCHIVE_VERSION: Final = 2

T = TypeVar("T")


def step(entry: EventStepped, transaction: Transaction) -> None:
    """Write where an event stands, and a line of its log.

    A bot may enter and withdraw without end, so the oldest lines of that kind go.
    """
    [(last,)] = transaction.fetch(LAST, {"key": entry.event})
    transaction.put(STEP, row_of(STEP, entry, name=entry.event))
    transaction.put(LOG, row_of(LOG, entry, number=last + 1))
    if entry.step in COMINGS and last >= MOST_LINES:
        transaction.put(FORGET_COMINGS, {"key": entry.event, "last": last + 1 - MOST_LINES})


def enter(entry: EventEntrantsChanged, transaction: Transaction) -> None:
    """Write entrants with their places, and delete those who are gone."""
    for name in entry.gone:
        transaction.put(GO, {"event": entry.event, "name": name})
    for place, entrant in enumerate(entry.entrants, start=entry.first):
        transaction.put(ENTER, row_of(ENTER, entrant, event=entry.event, place=place))


def pair(entry: EventPaired, transaction: Transaction) -> None:
    """Write a round; one that is stored already is refused."""
    for pairing in entry.pairings:
        transaction.put(PAIR, row_of(PAIR, pairing, event=entry.event))


def mark_annulled(transaction: Transaction, game: str, *, annulled: bool) -> None:
    """Mark a game of an event as annulled, or as one that counts; other games are not concerned."""
    transaction.put(ANNUL, {"key": game, "new_annulled": annulled})


def make(entry: EventMade, transaction: Transaction) -> None:
    """Write the settings of an event; one of that name is refused."""
    transaction.put(MAKE, {"name": entry.event, "settings": entry.settings, "origin": None})


def edit(entry: EventEdited, transaction: Transaction) -> None:
    """Write other settings of an event that was made while the server ran."""
    transaction.put(EDIT, changed(entry.event, {"settings": entry.settings}))


def drop(entry: EventDeleted, transaction: Transaction) -> None:
    for statement in DELETE:
        transaction.put(statement, {"key": entry.event})


def bring_in(entry: EventImported, transaction: Transaction) -> None:
    """Write an event of another server, with its log and the records of its games."""
    name, archive = entry.event, entry.archive
    settings, regulations = as_text(archive.settings), as_text(archive.regulations)
    transaction.put(MAKE, {"name": name, "settings": settings, "origin": archive.server})
    facts = {"name": name, "state": archive.state, "round": archive.round, "resumes": None}
    transaction.put(STEP, {**facts, "regulations": regulations})
    enter(EventEntrantsChanged(name, archive.entrants), transaction)
    pair(EventPaired(name, archive.pairings), transaction)
    for statement, rows in ((COUNT, archive.games), (LOG, archive.log)):
        for row in rows:
            transaction.put(statement, row_of(statement, row, event=name))
    for record in archive.records:
        said = {"id": record.game, "event": name, "record": as_text(record)}
        transaction.put(KEEP_RECORD, said)


def imported_record(transaction: Transaction, game: str) -> GameRecord | None:
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
    """Return an event as its archive file has it, without its password and without addresses."""
    records = (
        imported_record(transaction, row.game) or record_of(transaction, row.game, server)
        for row in kept.games
        if row.game is not None
    )
    rules = kept.regulations
    return EventArchive(
        event_archive=ARCHIVE_VERSION,
        server=kept.origin or server,
        settings={**codec.from_json(settings, dict[str, Any]), "password": ""},
        state=kept.state,
        round=kept.round,
        regulations=None if rules is None else codec.from_json(rules, dict[str, Any]),
        entrants=numbered(kept.entrants),
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
    steps = select(func.max(event_log.c.number)).where(event_log.c.event == events.c.name)
    query = STORED.add_columns(steps.scalar_subquery().label("steps")).order_by(events.c.name)
    return {
        row.name: EventStands(
            *(row.state, row.round, entrants.get(row.name, 0), row.settings), steps=row.steps or 0
        )
        for row in transaction.execute(query)
    }


def boards_of(transaction: Transaction, event: str) -> tuple[EventBoard, ...]:
    query = (
        select(games.c.id, games.c.number, matches.c.event_game, matches.c.first, matches.c.second)
        .join_from(games, matches)
        .where(games.c.ended_at.is_(None), matches.c.event == event)
        .order_by(games.c.seq)
    )
    boards = []
    for row in transaction.execute(query):
        first, second = (row.second, row.first) if row.number % 2 else (row.first, row.second)
        number = row.event_game + row.number
        boards.append(EventBoard(number=number, game=row.id, first=first, second=second))
    return tuple(boards)


def _kept(transaction: Transaction, row: RowMapping) -> KeptEvent:
    said = transaction.execute(SINCE.where(event_log.c.event == row["name"])).one()
    return KeptEvent(
        **{name: row[name] for name in OF_THE_EVENT},
        entrants=_all_of(transaction, row["name"], EntrantRow, event_entrants, "place"),
        pairings=_all_of(transaction, row["name"], PairingRow, event_pairings, "round", "place"),
        games=_all_of(transaction, row["name"], EventGameRow, event_games, "number"),
        closed=said.closed,
        revealed=said.revealed,
    )


def _all_of(
    transaction: Transaction, event: str, kind: type[T], table: Table, *order: str
) -> tuple[T, ...]:
    query = select(table).where(table.c.event == event)
    return tuple(things(transaction, kind, query.order_by(*(table.c[name] for name in order))))


def log_of(transaction: Transaction, event: str) -> list[EventLogLine]:
    return list(_all_of(transaction, event, EventLogLine, event_log, "number"))
