"""Events from archive files: what one that was held elsewhere consists of here."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from mancala.protocol import codec

from ...config.events import EventSettings
from ...model.contests import EventArchive, EventLogLine, KeptEvent
from ..events.lifecycle import OVER
from .state import restored, settings_of


class ImportedEvent(NamedTuple):
    """An event that was held on another server: its settings, renamed, and what the store keeps."""

    settings: EventSettings
    kept: KeptEvent


def imported(archive: EventArchive, name: str | None = None) -> ImportedEvent:
    """Return an archived event under a name, once its table could be made from it.

    Raises:
        ValueError: when it is not over, or contradicts itself.
    """
    settings = settings_of(codec.to_json(archive.settings).decode())
    settings = replace(settings, name=name or settings.name)
    if archive.state not in OVER:
        raise ValueError(f"the event is {archive.state}, not over")
    rules = archive.regulations
    kept = KeptEvent(
        *(archive.state, archive.round, None),
        None if rules is None else codec.to_json(rules).decode(),
        *(archive.entrants, archive.pairings, archive.games),
        settings=codec.to_json(settings).decode(),
        origin=archive.server,
    )
    try:
        restored(kept, settings).standings(())
    except LookupError as error:
        raise ValueError(f"its rounds and games do not belong together: {error}") from None
    return ImportedEvent(settings, kept)


def with_line(archive: EventArchive, kept: KeptEvent, line: EventLogLine) -> EventArchive:
    """Return an archive under the name that it has here, with one more line of its log."""
    named = codec.from_json(kept.settings or "{}", dict[str, object])
    line = line._replace(number=len(archive.log) + 1)
    return replace(archive, settings=named, log=(*archive.log, line))
