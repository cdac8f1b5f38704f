"""A payload that waits in the store until the broker has it."""

from __future__ import annotations

from typing import NamedTuple


class OutboxRow(NamedTuple):
    """A payload to be published.

    Attributes:
        seq: its position in the order.
        topic: its topic.
        payload: its JSON text.
        is_retained: whether the broker retains it for later subscribers.
    """

    seq: int
    topic: str
    payload: str
    is_retained: bool
