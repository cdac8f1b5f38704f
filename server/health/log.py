"""What a log must be able to do, and one that says nothing.

The logger is handed in. ``serve`` makes a structlog one; a server inside another program is silent
unless it is given one. No event ever carries a token or a session's secret.
"""

from __future__ import annotations

from typing import Protocol, TextIO


class Log(Protocol):
    """A structured log: an event in a few words, and its facts by name."""

    def info(self, event: str, **facts: object) -> object:
        """Tell what happens as it should."""

    def warning(self, event: str, **facts: object) -> object:
        """Tell what an organiser may want to look at."""


class NullLog:
    """A log that says nothing."""

    def info(self, event: str, **facts: object) -> None:
        """Say nothing."""

    def warning(self, event: str, **facts: object) -> None:
        """Say nothing."""


def structured(stream: TextIO) -> Log:
    """Make a log that writes one JSON object a line."""
    import structlog  # noqa: PLC0415  # takes a third of a second, and only a real server needs it

    logger: Log = structlog.wrap_logger(
        structlog.PrintLogger(stream),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
    )
    return logger
