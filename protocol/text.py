r"""Text from peers: which characters it may hold, and what of it may be shown to others.

A text that a client sends reaches terminals, logs, pages, MQTT and a database, and none of them
takes every character. PostgreSQL refuses NUL; a terminal obeys ESC and the C1 controls; U+2028 and
U+2029 end a line in some readers and not in others. So texts have no control characters at all. A
comment may have several lines: there, tab, line feed and carriage return are allowed.

What is quoted as evidence of a fault is read by the opponent and by every spectator. A frame that
was not understood may be a spoilt ``hello``, with its token under a misspelt key or outside of any
JSON. So :func:`quote` withholds a frame that mentions credentials in any spelling, and cuts every
run of characters that is long enough to be one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

QUOTED: Final = 200
"""Maximum length of a quotation, in characters."""
WITHHELD: Final = "(withheld: it may hold a credential)"

CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_CONTROL_IN_LINES: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]"
)
_RAW: Final = re.compile(rb"\\[^\"\\/]|[\x7f\xc2]|\xe2\x80[\xa8\xa9]|\xef\xbf[\xbe\xbf]")
_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))", re.IGNORECASE)
_TELLING: Final = re.compile(
    "token|resume|hello|session|secret|auth|passw|credential|bearer|apikey"
)
_LONG: Final = re.compile(r"[A-Za-z0-9_+/=-]{16,}")
_LINES: Final = frozenset({"comment", "prompt", "answer"})
"""Fields whose text may have several lines."""


class Finding(NamedTuple):
    """A character that a text may not have.

    Attributes:
        path: the field, as in ``$.agent.version``.
        character: the character.
    """

    path: str
    character: str

    def __str__(self) -> str:
        """Return the fault as a sentence that names the character and the field."""
        number = ord(self.character)
        return f"Control character U+{number:04X} is not allowed - at `{self.path}`"


def may_hold_control(frame: bytes) -> bool:
    """Return whether a JSON text may hold a control character, escaped or not.

    False is certain, and is found in a fraction of the time that :func:`find_control` takes.
    """
    return _RAW.search(frame) is not None


def find_control(value: object, path: str = "$") -> Finding | None:
    """Return the first forbidden character in any text of a value, or None.

    Args:
        value: a plain value: mappings, sequences, texts, numbers. A text under one of the keys
            ``comment``, ``prompt`` and ``answer`` may have several lines.
        path: what the value is called in the finding.
    """
    if isinstance(value, str):
        name = path.rpartition(".")[2]
        found = (_CONTROL_IN_LINES if name in _LINES else CONTROL).search(value)
        return None if found is None else Finding(path, found[0])
    if isinstance(value, Mapping):
        parts = [(f"{path}.{key}", part) for key, part in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        parts = [(f"{path}[{place}]", part) for place, part in enumerate(value)]
    else:
        return None
    findings = (find_control(part, name) for name, part in parts)
    return next((finding for finding in findings if finding is not None), None)


def printable(text: str, limit: int) -> str:
    """Return a peer's text on one line, cut to `limit` and without control characters."""
    return CONTROL.sub(" ", text[:limit]).strip()


def multiline(text: str, limit: int) -> str:
    """Return a text of several lines, cut to `limit` bytes of UTF-8, without control characters."""
    cut = _CONTROL_IN_LINES.sub(" ", text).encode()[:limit]
    return cut.decode(errors="ignore").strip()


def quote(received: bytes | str) -> str:
    """Return the beginning of a peer's input in a form that may be shown to others.

    Control characters and bytes that are not UTF-8 become backslash escapes. Input that mentions a
    credential is withheld, and long runs of letters and digits are cut.
    """
    text = received if isinstance(received, str) else received.decode(errors="backslashreplace")
    if _TELLING.search(_letters(text)):
        return WITHHELD
    return shown(text)[:QUOTED]


def shown(text: str) -> str:
    """Return a text with control characters escaped and what may be a credential cut."""
    return CONTROL.sub(_escape, _LONG.sub("[…]", text))


def _escape(found: re.Match[str]) -> str:
    return (
        found[0].encode("ascii", "backslashreplace").decode()
        if found[0] > "\x7f"
        else (f"\\x{ord(found[0]):02x}")
    )


def _letters(text: str) -> str:
    """Return the letters of a text in lower case, escapes undone."""
    plain = _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    return "".join(filter(str.isalnum, plain.casefold()))
