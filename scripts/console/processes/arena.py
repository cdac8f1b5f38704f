"""Where a match server that was started as a process can be reached."""

from __future__ import annotations

from msgspec import Struct


class ServedArena(Struct, frozen=True):
    """The line that ``mancala serve --json`` prints when it listens.

    Attributes:
        server: its name.
        url: where bots and spectators connect.
        mqtt: the broker; None when there is none.
        prefix: the first levels of its topics.
        kgp: where clients of the Kalah Game Protocol connect.
        http: where the page and the API are; None when they are off.
        health: where health and metrics have a port of their own; None when they have none.
    """

    server: str
    url: str
    mqtt: str | None
    prefix: str
    http: str | None = None
    health: str | None = None
    kgp: tuple[str, ...] = ()
