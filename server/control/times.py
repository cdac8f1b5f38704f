"""Times that the operator names."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

from ..model.timestamps import later, rfc3339
from .actions import UsageError


class Lasting(Protocol):
    """Arguments of an action whose effect may end by itself."""

    @property
    def until(self) -> str | None:
        """Until when, RFC 3339; for ever if neither this nor ``for_s`` is given."""

    @property
    def for_s(self) -> float | None:
        """For how long, in seconds."""


def end_of(wanted: Lasting, now: str) -> str | None:
    """Return when the effect of an action ends, RFC 3339 in UTC; None for never.

    Raises:
        UsageError: when both ways of naming it are used, or it is over already.
    """
    if wanted.until is not None and wanted.for_s is not None:
        raise UsageError("say until when or for how long, not both")
    if wanted.for_s is not None:
        return later(now, wanted.for_s)
    if wanted.until is None:
        return None
    end = instant_of(wanted.until)
    if end <= now:
        raise UsageError(f"{wanted.until} is over already")
    return end


def instant_of(text: str) -> str:
    """Return a time in UTC, RFC 3339.

    Raises:
        UsageError: when it is no time, or names no time zone.
    """
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no time: write it as 2026-01-31T18:00:00+01:00") from None
    if instant.tzinfo is None:
        raise UsageError(f"{text!r} names no time zone: write +00:00 at its end for UTC")
    return rfc3339(instant.astimezone(UTC))
