"""Whether the files of a SQLite store are still those that were opened."""

import os  # noqa: TID251  # the way to the store's files

from ...config.settings import IN_MEMORY
from .database import is_postgresql
from .faults import BrokenStoreError


class FileWatch:
    """Notices when SQLite's file, or its log, is deleted or replaced while it is open.

    SQLite goes on writing to a deleted file, and nothing of that is there after a restart.
    """

    def __init__(self, place: str) -> None:
        """Watch a place; one that is no file is never gone."""
        is_file = place != IN_MEMORY and not is_postgresql(place)
        self._paths = (place, f"{place}-wal") if is_file else ()
        self._identities: dict[str, tuple[int, int]] = {}

    def check(self) -> None:
        """Compare the files with those of the first call; the store breaks if one is another."""
        for path in self._paths:
            try:
                found = os.stat(path)  # noqa: PTH116  # after every commit; a Path costs twice as much
            except FileNotFoundError:
                raise BrokenStoreError(f"{path} was deleted while the server ran") from None
            identity = found.st_dev, found.st_ino
            if self._identities.setdefault(path, identity) != identity:
                raise BrokenStoreError(f"{path} was replaced while the server ran")
