"""The errors that end a bot early, each with its facts as attributes."""

from __future__ import annotations

import os  # noqa: TID251  # for the texts of error numbers

from protocol.messages import REPLACED, ErrorCode


class ClientError(Exception):
    """The bot cannot go on."""


class ConnectionFailedError(ClientError):
    """The server could not be reached, or closed without a word; the cause says why."""


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


class ReplacedError(ServerLeftError):
    """Another process resumed this bot's session; coming back would put that one out."""

    def __init__(self) -> None:
        super().__init__(REPLACED)
        self.args = (
            "another process with this bot's session took over its games; this one stays away",
        )


class ServerFaultError(ClientError):
    """The server broke the protocol: a frame was no message, or came out of place."""


class PlayerFailedError(ClientError):
    """The player raised something other than `PlayerError`; the cause is what it raised."""


def reason_of(error: Exception) -> str:
    """Return why a connection failed, in the system's words and without its error number."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.errno is not None:
        known = error.errno > 0 and not hasattr(error, "reason")  # SSL counts its own errors
        return (os.strerror(error.errno) if known else str(error.strerror)).lower()
    return str(error)
