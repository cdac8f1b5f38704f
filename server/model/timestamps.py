"""Times of day as the server writes them: RFC 3339 in UTC, to the millisecond, so texts sort."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def utc() -> str:
    """Return the time of day."""
    return _text(datetime.now(UTC))


def days_ago(days: float) -> str:
    """Return the time of day ``days`` days ago."""
    return _text(datetime.now(UTC) - timedelta(days=days))


def later(instant: str, seconds: float) -> str:
    """Return the time of day ``seconds`` after another."""
    return _text(datetime.fromisoformat(instant) + timedelta(seconds=seconds))


def _text(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds")
