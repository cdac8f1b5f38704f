"""Which rule of SPEC.md a frame breaks that is no message."""

from __future__ import annotations

import re
from typing import Any, Final

from mancala.protocol import codec
from mancala.protocol.messages import ErrorCode

from .verdicts import FailureError, Rule, short

RULES: Final = {
    ErrorCode.TOO_LARGE: "A frame holds at most",
    ErrorCode.UNKNOWN_TYPE: "there is no message of this `type`",
    ErrorCode.NOT_JSON: "one JSON object in UTF-8",
}
NO_OBJECT: Final = re.compile(r"Expected `object`, got `\w+`$|missing required field `type`")
WRONG_NUMBER: Final = re.compile(r"Expected `int`, got `(bool|float|str)`")
FIELD: Final = re.compile(r"missing required field `(\w+)`$|`\$\.(\w+)`$")


def failure_of(frame: str, error: codec.DecodeError) -> FailureError:
    """Return the failure of a bot that sent this frame."""
    got = (
        f"{error}: {short(frame)}"
        if error.code is ErrorCode.TOO_LARGE
        else f"{short(frame)}: {error}"
    )
    return FailureError("a message of section 4", got, rule_of(frame, error))


def rule_of(frame: str, error: codec.DecodeError) -> Rule:
    """Return the rule that a frame breaks: that of its faulty field, where it has one."""
    if error.code in RULES:
        return Rule(RULES[error.code])
    if NO_OBJECT.search(str(error)):
        return Rule(RULES[ErrorCode.NOT_JSON])
    if WRONG_NUMBER.search(str(error)):
        return Rule("JSON types are exact")
    if str(error).startswith("Control character"):
        return Rule("may hold a control character")
    field = FIELD.search(str(error))
    if field is None:
        return Rule("a member is missing, of the wrong type or out of range")
    kind = codec.from_json(frame.encode(), dict[str, Any])["type"]
    return Rule(f"| `{field[1] or field[2]}", f"### `{kind}`")
