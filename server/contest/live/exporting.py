"""Write an event that is over to its archive file, from the store; a server may run on it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path  # noqa: TID251  # the file that the caller names

from mancala.protocol import codec

from ...config.settings import Config
from ...model.contests import EventArchive
from ...store.carrying.event_file import write_event
from ...store.database.database import Access, connect
from ...store.database.writer import Transaction
from ...store.rows.contests import archive_of, kept_event
from ..events.lifecycle import OVER


class ExportError(Exception):
    """There is no such event, or it is not over."""


def export_event(config: Config, name: str, file: Path) -> tuple[EventArchive, int]:
    """Write an event to a file; return it, and the size of the file in bytes.

    Raises:
        ExportError: when there is no such event, or it is not over.
        StoreError: when the store can't be opened.
        OSError: when the file can't be written.
    """
    with closing(connect(config.store_path, Access.READ)) as connection, connection.begin():
        archive = _archived(Transaction(connection), config, name)
    return archive, write_event(file, archive)


def _archived(transaction: Transaction, config: Config, name: str) -> EventArchive:
    kept = kept_event(transaction, name)
    configured = next((each for each in config.event if each.name == name), None)
    settings = kept and kept.settings
    if configured is not None:
        settings = codec.to_json(configured).decode()
    if kept is None or settings is None:
        raise ExportError(f"there is no event {name}, or it took no step yet")
    if kept.state not in OVER:
        raise ExportError(f"{name} is {kept.state}; it can be exported once it is over")
    return archive_of(transaction, name, kept, settings, config.name)
