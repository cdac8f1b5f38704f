"""The time of day as the server writes it: RFC 3339 in UTC, to the millisecond, so texts sort."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def utc() -> str:
    """Tell the time of day."""
    return _text(datetime.now(UTC))


def days_ago(days: float) -> str:
    """Tell what time it was so many days ago."""
    return _text(datetime.now(UTC) - timedelta(days=days))


def _text(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds")
