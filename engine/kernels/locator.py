"""numba's way to the cache of compiled kernels, :mod:`mancala.engine.kernel_cache`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import caching

from ..kernel_cache import PACKAGE, cache_folder, package_stamp


class PackageLocator:
    """What numba's cache asks for the place of a kernel of this package, by its first line."""

    def __init__(self, folder: Path, line: int) -> None:
        self._folder = folder
        self._line = line

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> PackageLocator | None:
        """Return a locator for a function of this package; None for any other function."""
        folder = cache_folder() if Path(file).resolve().parent == PACKAGE else None
        return None if folder is None else cls(folder, function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        """Do nothing: :func:`cache_folder` has made the folder."""

    def get_cache_path(self) -> str:
        """Return the directory of the cache files."""
        return str(self._folder)

    def get_disambiguator(self) -> str:
        """Return what distinguishes functions of one name in one file."""
        return str(self._line)

    def get_source_stamp(self) -> str:
        """Return what has to be unchanged for a cached kernel to be used."""
        return package_stamp()


@cache
def register() -> None:
    """Have numba ask :class:`PackageLocator` before its own locators; once a process."""
    vars(caching.CacheImpl)["_locator_classes"].insert(0, PackageLocator)
