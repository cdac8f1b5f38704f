"""Where a match server that was started as a process can be reached."""

from __future__ import annotations

from msgspec import Struct


class ServedArena(Struct, frozen=True):
    """The line that ``mancala serve --json`` prints when it listens.

    Without a broker, a page or a health port of its own, ``mqtt``, ``http`` or ``health`` is None.
    """

    server: str
    url: str
    mqtt: str | None
    prefix: str
    http: str | None = None
    health: str | None = None
    kgp: tuple[str, ...] = ()
