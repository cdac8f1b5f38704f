"""What ends a bot early, each with its facts."""

from __future__ import annotations

from protocol.messages import ErrorCode


class ClientError(Exception):
    """The bot cannot go on."""


class ConnectionFailedError(ClientError):
    """The server could not be reached; the cause says why."""


class RefusedError(ClientError):
    """The server refused what we said.

    Attributes:
        code: its name for what was wrong.
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        self.code = code
        super().__init__(f"the server refused: {message} ({code})")


class ServerLeftError(ClientError):
    """The server said goodbye and named no time to come back.

    Attributes:
        reason: its words.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the server said goodbye: {reason or 'no reason given'}")


class ServerFaultError(ClientError):
    """The server broke the protocol: what it said was no message, or out of place."""


class PlayerFailedError(ClientError):
    """The player raised something that is no answer; the cause is what it raised."""
