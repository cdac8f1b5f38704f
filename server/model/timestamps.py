"""Times of day as the server writes them: RFC 3339 in UTC, to the millisecond, so texts sort."""

from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND: Final = timedelta(milliseconds=1)


def rfc3339(instant: datetime) -> str:
    """Return an instant as RFC 3339 writes it, to the millisecond."""
    return instant.isoformat(timespec="milliseconds")


def in_utc(instant: str) -> str:
    """Return a time of day with an offset, which a person wrote, as the server writes it."""
    return rfc3339(datetime.fromisoformat(instant).astimezone(UTC))


def later(instant: str, seconds: float) -> str:
    """Return the time of day ``seconds`` after another; before it, if negative."""
    return rfc3339(datetime.fromisoformat(instant) + timedelta(seconds=seconds))


def milliseconds_of(instant: str) -> int:
    """Return the milliseconds from 1970 to a time of day."""
    return (datetime.fromisoformat(instant) - EPOCH) // MILLISECOND


def instant_of(milliseconds: int) -> str:
    """Return the time of day that many milliseconds after 1970 began."""
    return rfc3339(EPOCH + milliseconds * MILLISECOND)


def seconds_between(earlier: str, instant: str) -> float:
    """Return the seconds from one time of day to another; negative if it is before."""
    return (datetime.fromisoformat(instant) - datetime.fromisoformat(earlier)).total_seconds()
