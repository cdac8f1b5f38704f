"""Events that are over as archive files: written from the store, and what one consists of here."""

from contextlib import closing
from enum import StrEnum
from pathlib import Path  # noqa: TID251  # the file that the caller names
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.rules import InvalidPositionError

from ...config.annotations import EncounterGames, RoundCount
from ...config.events import EventSettings, Format
from ...config.settings import Config
from ...model.contests import EventArchive, EventLogLine, KeptEvent
from ...store.carrying.event_file import write_event
from ...store.database.database import Access, connect
from ...store.database.writer import Transaction
from ...store.rows.contests import archive_of, kept_event
from ..events.lifecycle import OVER
from ..events.plan import MOST_EVENT_GAMES, too_many
from .reports import ReportError, csv_of, trf_of
from .state import ContestState, restored, settings_of
from .views import event_view, hides_results


class _Size(Struct, frozen=True):
    """What the regulations of an event that comes in may ask for; others stay unread."""

    games: EncounterGames
    rounds: RoundCount


class ImportedEvent(NamedTuple):
    """An event that was held on another server: its settings, renamed, and what the store keeps."""

    settings: EventSettings
    kept: KeptEvent


def imported(archive: EventArchive, name: str | None = None) -> ImportedEvent:
    """Return an archived event under a name; ValueError when it can't be shown here."""
    settings = codec.from_json(_json_of(archive.settings), EventSettings)
    settings = replace(settings, name=name or settings.name)
    if archive.state not in OVER:
        raise ValueError(f"the event is {archive.state}, not over")
    rules = archive.regulations
    kept = KeptEvent(
        *(archive.state, archive.round, None),
        None if rules is None else _json_of(rules),
        *(archive.entrants, archive.pairings, archive.games),
        settings=_json_of(settings),
        origin=archive.server,
    )
    Format(settings.format)
    if rules is not None:
        msgspec.convert(rules, _Size)
    try:
        state = restored(kept, settings)
        problem = _problem_of_size(state)
        if problem is None:
            view = event_view(settings, state, frozen=0)
            codec.to_json(view)
            csv_of(view)
    except InvalidPositionError:
        raise
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"its rounds and games do not belong together: {error}") from None
    if problem is not None:
        raise ValueError(problem)
    return ImportedEvent(settings, kept)


def _json_of(document: object) -> str:
    try:
        return codec.to_json(document).decode()
    except TypeError as error:  # a number of more than 64 bits
        raise ValueError(f"it can't be stored: {error}") from None


def _problem_of_size(state: ContestState) -> str | None:
    """Return why a server would not have held an event that comes in; None if it would."""
    games = state.regulations.games * sum(len(each.round.encounters) for each in state.rounds)
    if games > MOST_EVENT_GAMES:
        return f"its rounds have {too_many(games)}"
    return state.regulations.problem_of_size(state.entrants)


def with_line(archive: EventArchive, kept: KeptEvent, line: EventLogLine) -> EventArchive:
    """Return an archive under the name that it has here, with one more line of its log."""
    named = codec.from_json(kept.settings or "{}", dict[str, object])
    line = line._replace(number=len(archive.log) + 1)
    return replace(archive, settings=named, log=(*archive.log, line))


class ExportError(Exception):
    """There is no such event, or it can't be exported so."""


class ExportFormat(StrEnum):
    """What an event is exported as."""

    ARCHIVE = "archive"
    TRF = "trf"
    TRF16 = "trf16"
    CSV = "csv"


def export_event(config: Config, name: str, file: Path) -> tuple[EventArchive, int]:
    """Write an event that is over to a file; return it, and the size of the file in bytes."""
    with closing(connect(config.store_path, Access.READ)) as connection, connection.begin():
        transaction = Transaction(connection)
        kept, settings = _kept(transaction, config, name)
        if kept.state not in OVER:
            raise ExportError(f"{name} is {kept.state}; it can be exported once it is over")
        if hides_results(settings_of(settings), kept):
            raise ExportError(f"{name} hides results; it can be exported once they are revealed")
        archive = archive_of(transaction, name, kept, settings, config.name)
    return archive, write_event(file, archive)


def export_report(config: Config, name: str, format_: ExportFormat) -> tuple[str, int]:
    """Return an event that has begun as text, and how many rounds of it were paired."""
    with closing(connect(config.store_path, Access.READ)) as connection, connection.begin():
        kept, text = _kept(Transaction(connection), config, name)
    settings = settings_of(text)
    state = restored(kept, settings)
    if not state.rounds:
        raise ExportError(f"{name} is {kept.state}; it can be reported once a round was paired")
    if format_ is ExportFormat.CSV:
        return csv_of(event_view(settings, state, frozen=0)), len(state.rounds)
    try:
        report = trf_of(settings, state, of_2016=format_ is ExportFormat.TRF16)
    except ReportError as error:
        raise ExportError(str(error)) from None
    return report, len(state.rounds)


def _kept(transaction: Transaction, config: Config, name: str) -> tuple[KeptEvent, str]:
    kept = kept_event(transaction, name)
    configured = {each.name: each for each in config.event}.get(name)
    settings = kept and kept.settings
    if configured is not None:
        settings = codec.to_json(configured).decode()
    if kept is None or settings is None:
        raise ExportError(f"there is no event {name}, or it took no step yet")
    return kept, settings
