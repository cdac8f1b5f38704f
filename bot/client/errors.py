"""The errors that end a bot early, each with its facts as attributes."""

from __future__ import annotations

from protocol.messages import ErrorCode


class ClientError(Exception):
    """The bot cannot go on."""


class ConnectionFailedError(ClientError):
    """The server could not be reached; the cause says why."""


class RefusedError(ClientError):
    """The server refused a message.

    Attributes:
        code: what was wrong with it, in the server's terms.
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        self.code = code
        super().__init__(f"the server refused: {message} ({code})")


class ServerLeftError(ClientError):
    """The server said goodbye without a time to come back.

    Attributes:
        reason: the reason it gave.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the server said goodbye: {reason or 'no reason given'}")


class ServerFaultError(ClientError):
    """The server broke the protocol: a frame was no message, or came out of place."""


class PlayerFailedError(ClientError):
    """The player raised something other than `PlayerError`; the cause is what it raised."""
