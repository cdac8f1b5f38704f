"""What the messages of both ends share: bounds of fields, codes, and the goodbye."""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct, ValidationError, convert

VERSION: Final = "mancala.v1"

# In Python `$` also matches before a last newline; `(?!\n)` forbids it, in JSON Schema too.
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,47}$(?!\n)")]
NAMES_ARE: Final = "1 to 48 letters, digits and _ . @ + -, beginning with a letter or digit"
Identifier = Annotated[str, Meta(min_length=1, max_length=64)]
Secret = Annotated[str, Meta(min_length=1, max_length=256)]
ShortText = Annotated[str, Meta(max_length=256)]
Text = Annotated[str, Meta(max_length=2000)]
LongText = Annotated[str, Meta(max_length=4000)]
Pit = Annotated[int, Meta(ge=0, le=255)]
Ply = Annotated[int, Meta(ge=0, le=1_000_000)]
Player = Annotated[int, Meta(ge=0, le=1)]
Games = Annotated[int, Meta(ge=1, le=1000)]
Matches = Annotated[int, Meta(ge=1, le=100_000)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


def problem_of_name(name: str) -> str | None:
    """Return why a name cannot be a bot's, in a sentence; None where it can."""
    try:
        convert(name, Name)
    except ValidationError:
        return f"{name!r} cannot be a name: use at most 48 letters, digits and _.@+-"
    return None


class Reason(StrEnum):
    """Why a game ended."""

    NORMAL = "normal"
    MAJORITY = "majority"
    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    RESIGNED = "resigned"
    DISCONNECTED = "disconnected"
    PROTOCOL = "protocol"
    ABORTED = "aborted"
    WEDGED = "wedged"


class ErrorCode(StrEnum):
    """What was wrong with a message."""

    NOT_JSON = "not_json"
    INVALID = "invalid"
    TOO_LARGE = "too_large"
    UNKNOWN_TYPE = "unknown_type"
    OUT_OF_PLACE = "out_of_place"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    BAD_NAME = "bad_name"
    BAD_TOKEN = "bad_token"  # noqa: S105  # the name of a code, not a secret
    BAD_RESUME = "bad_resume"
    UNKNOWN_GAME = "unknown_game"
    UNKNOWN_LADDER = "unknown_ladder"
    UNKNOWN_EVENT = "unknown_event"
    NOT_OPEN = "not_open"
    UNKNOWN_OPPONENT = "unknown_opponent"
    UNKNOWN_CHALLENGE = "unknown_challenge"
    DECLINED = "declined"
    FORBIDDEN = "forbidden"
    QUARANTINED = "quarantined"
    LIMIT = "limit"
    TIMEOUT = "timeout"
    SHUTTING_DOWN = "shutting_down"
    INTERNAL = "internal"


class Message(Struct, frozen=True, omit_defaults=True, tag_field="type", tag=str.lower):
    """A message of either end."""


class Part(Struct, frozen=True, omit_defaults=True):
    """An object inside a message."""


REPLACED: Final = "replaced"
"""Reason of a goodbye: another connection resumed the session, and now plays."""
REPLACED_CLOSE: Final = 4001
"""The websocket close code that goes with it; from the range for private use."""


class Goodbye(Message, frozen=True):
    """The last message of its sender, which discards all that it still receives."""

    reason: ShortText = ""
    reconnect_after: Annotated[float, Meta(ge=0, le=86400)] | None = None
