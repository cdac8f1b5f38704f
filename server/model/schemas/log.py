"""The operator's log, where it is public."""

from __future__ import annotations

from mancala.protocol.results import ActChange, Timestamp

from .views import View


class LogLineView(View, frozen=True):
    """A line of the operator's log.

    Attributes:
        number: its number.
        at: when.
        by: who.
        action: what was done.
        changed: what it changed, at most twenty things.
        changes: how many things.
        why: the reason given; may be empty.
    """

    number: int
    at: Timestamp
    by: str
    action: str
    changed: tuple[ActChange, ...]
    changes: int
    why: str


class LogView(View, frozen=True):
    """The operator's log.

    Attributes:
        log: the last hundred lines, the latest first.
    """

    log: tuple[LogLineView, ...]
