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

    info = warning = debug


class PassingLog:
    """A logger that passes all events on to another one."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def debug(self, event: str, **facts: object) -> None:
        """Log an event that there are many of."""
        self._log.debug(event, **facts)

    def info(self, event: str, **facts: object) -> None:
        """Log a normal event."""
        self._log.info(event, **facts)

    def warning(self, event: str, **facts: object) -> None:
        """Log an event that an organiser may want to look at."""
        self._log.warning(event, **facts)


class StructuredLog(PassingLog):
    """A logger that writes one JSON object per line, of events of a level or above."""

    def __init__(self, stream: TextIO, level: str = "info") -> None:
        self._stream = stream
        self.set_level(level)

    def set_level(self, level: str) -> None:
        """Write events of this level or above from now on."""
        import structlog  # noqa: PLC0415  # takes a third of a second, and only a real server needs it

        self._log = structlog.wrap_logger(
            structlog.PrintLogger(self._stream),
            wrapper_class=structlog.make_filtering_bound_logger(level),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(),
            ],
        )
