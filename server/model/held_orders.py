"""Orders of the operator that are held back until they are confirmed. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from mancala.protocol import codec


class HeldOrder(Struct, frozen=True):
    """An order that is carried out once it is confirmed.

    Attributes:
        id: its id, which a confirmation names.
        action: what is to be done.
        arguments: with which arguments, by name.
        why: the reason given.
        by: the system user who gave it.
        at: when, RFC 3339.
    """

    id: str
    action: str
    arguments: dict[str, Any]
    why: str
    by: str
    at: str

    @property
    def text(self) -> str:
        """The order as the journal keeps it."""
        return codec.to_json(self).decode()


def held_order_of(text: str) -> HeldOrder:
    """Return the held order that a text of the journal states."""
    return codec.from_json(text, HeldOrder)
