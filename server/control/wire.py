"""What is said on the control socket: one request and one response, each a line of JSON.

The socket is for one connection per request. Only the server's user may open it.
"""

from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

LONGEST_REQUEST: Final = 1024 * 1024
"""Ample for a list of 50,000 games."""
LONGEST_RESPONSE: Final = 64 * 1024 * 1024


class Request(Struct, frozen=True, forbid_unknown_fields=True):
    """An action that the operator asks for, and why; a dry run only says what it would change."""

    action: str
    arguments: dict[str, Any] = {}
    dry_run: bool = False
    why: str = ""


class Change(Struct, frozen=True):
    """A thing that an action changes: its kind, which one, how it was and is; None for none."""

    what: str
    subject: str
    before: str | None = None
    after: str | None = None
    event: str | UnsetType = UNSET

    @property
    def thing(self) -> str:
        return f"{self.what} {self.subject}" + (f" of {self.event}" if self.event else "")

    def __str__(self) -> str:
        text = self.thing
        if self.before in {None, self.after}:
            return text if self.after is None else f"{text}: {self.after}"
        return f"{text}: {self.before} -> {'nothing' if self.after is None else self.after}"


class Response(Struct, frozen=True, omit_defaults=True):
    """What came of it; no result if it was refused."""

    result: dict[str, Any] | None = None
    error: str = ""
    is_usage: bool = False


def line_of(message: Request | Response) -> bytes:
    return msgspec.json.encode(message) + b"\n"
