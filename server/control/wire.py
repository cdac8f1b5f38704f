"""What is said on the control socket: one request and one response, each a line of JSON.

The socket is for one connection per request. Only the server's user may open it.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

LONGEST_REQUEST: Final = 1024 * 1024
"""Ample for a list of 50,000 games."""
LONGEST_RESPONSE: Final = 64 * 1024 * 1024


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """An action that the operator asks for.

    Attributes:
        action: its name.
        arguments: its arguments, by name.
        dry_run: whether only to say what it would change.
        why: the reason, for the trail.
    """

    action: str
    arguments: dict[str, Any] = {}
    dry_run: bool = False
    why: str = ""


class Change(Struct, frozen=True):
    """One thing that an action changes.

    Attributes:
        what: what kind of thing.
        subject: which one.
        before: how it was; None if there was nothing.
        after: how it is then; None if there is nothing.
    """

    what: str
    subject: str
    before: str | None = None
    after: str | None = None

    def __str__(self) -> str:
        text = f"{self.what} {self.subject}"
        if self.before is None:
            return text if self.after is None else f"{text}: {self.after}"
        return f"{text}: {self.before} -> {'nothing' if self.after is None else self.after}"


class Response(Struct, frozen=True, omit_defaults=True):
    """What came of it.

    Attributes:
        result: what was changed, or would be; None if it was refused.
        error: why it was refused, in one sentence.
        is_usage: whether the request itself was wrong, and not the state of the server.
    """

    result: dict[str, Any] | None = None
    error: str = ""
    is_usage: bool = False


def line_of(message: Request | Response) -> bytes:
    """Return a message as a line."""
    return msgspec.json.encode(message) + b"\n"


def request_of(line: bytes) -> Request:
    """Return the request in a line.

    Raises:
        ValueError: when it is none.
    """
    return msgspec.json.decode(line, type=Request)


def response_of(line: bytes) -> Response:
    """Return the response in a line.

    Raises:
        ValueError: when it is none.
    """
    return msgspec.json.decode(line, type=Response)
