"""Orders for an event over the API, and what comes of them."""

from typing import Any, NamedTuple

from msgspec import Struct

from .views import View


class EventOrder(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An order for an event, as ``mancala event`` gives it.

    Attributes:
        order: the command's name, such as ``result``.
        arguments: its arguments without the event, by the names that its help has.
        why: the reason, for the log; that of a result is published.
        dry_run: whether only to say what would change.
    """

    order: str
    arguments: dict[str, Any] = {}
    why: str = ""
    dry_run: bool = False


class GivenOrder(NamedTuple):
    """An order for an event, as JSON, with name, token and address of who gives it."""

    event: str
    name: str
    token: str
    order: str
    address: str


class EventOrderAnswer(View, frozen=True):
    """What came of an order for an event.

    Attributes:
        status: the status of the HTTP response.
        result: what the command prints with ``--json``; None if it was refused.
        error: why it was refused; empty if it was not.
    """

    status: int
    result: dict[str, Any] | None = None
    error: str = ""
