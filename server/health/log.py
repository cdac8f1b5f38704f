"""The interface of a logger, a structured one, and one that discards everything.

The logger is injected. ``serve`` creates one with structlog; a server embedded in another program
logs nothing unless it is given a logger. No event contains a token or a session secret.
"""

from __future__ import annotations

from typing import Protocol, TextIO


class Log(Protocol):
    """A structured logger: an event in a few words, and its facts as keywords."""

    def debug(self, event: str, **facts: object) -> object:
        """Log an event that there are many of."""

    def info(self, event: str, **facts: object) -> object:
        """Log a normal event."""

    def warning(self, event: str, **facts: object) -> object:
        """Log an event that an organiser may want to look at."""


class NullLog:
    """A logger that discards everything."""

    def debug(self, event: str, **facts: object) -> None:
        """Discard the event."""

    def info(self, event: str, **facts: object) -> None:
        """Discard the event."""

    def warning(self, event: str, **facts: object) -> None:
        """Discard the event."""


def structured(stream: TextIO, level: str = "info") -> Log:
    """Return a logger that writes one JSON object per line, of events of a level or above."""
    import structlog  # noqa: PLC0415  # takes a third of a second, and only a real server needs it

    logger: Log = structlog.wrap_logger(
        structlog.PrintLogger(stream),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
    )
    return logger
