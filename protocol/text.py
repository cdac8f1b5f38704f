r"""Text from peers: which characters it may hold, and what of it may be shown to others.

A text that a client sends reaches terminals, logs, pages, MQTT and a database, and none of them
takes every character. PostgreSQL refuses NUL; a terminal obeys ESC and the C1 controls; U+2028 and
U+2029 end a line in some readers and not in others. So texts have no control characters at all. A
comment may have several lines: there, tab, line feed and carriage return are allowed. The name and
version of an agent stand in tables beside others, so they have no characters that are not seen or
that turn the direction of writing. The rule for control characters holds for a server's texts, too.

All that is printed and was not written here goes through :func:`for_terminal`; all files that
people write are read by :func:`written_text`.

What is quoted as evidence of a fault is read by the opponent and by every spectator. A frame that
was not understood may be a spoilt ``hello``, with its token under a misspelt key or outside of any
JSON. So :func:`quote` withholds a frame that mentions credentials in any spelling, and cuts every
run of characters that is long enough to be one.

A peer pays for a frame by its size, as if it was only read. So at most ``LOOKED_AT`` characters of
it are looked at one by one; what lies behind is searched for credentials without undoing escapes.
"""

import codecs
import json
import re
import string
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

QUOTED: Final = 200
"""Maximum length of a quotation, in characters."""
LOOKED_AT: Final = 512
"""Characters of a peer's input that are looked at one by one."""
WITHHELD: Final = "(withheld: it may hold a credential)"

CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_CONTROL_IN_LINES: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]"
)
_RAW: Final = re.compile(
    rb"\\[^\"\\/]|[\x7f\xc2]|\xd8\x9c|\xe1\xa0\x8e|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb\xbe\xbf]|\xf3\xa0"
)
UNSEEN: Final = re.compile(
    r"[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_UNPRINTABLE: Final = re.compile(rf"\r|{_CONTROL_IN_LINES.pattern}|{UNSEEN.pattern}")
_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))", re.IGNORECASE)
_TELLING: Final = (
    *("token", "resume", "hello", "session", "secret"),
    *("auth", "passw", "credential", "bearer", "apikey"),
)
_LONG: Final = re.compile(r"[A-Za-z0-9_+/=-]{16,}")
_RUN: Final = string.ascii_letters + string.digits + "_+/=-"
"""Characters of such a run."""
_NO_LETTERS: Final = bytes({*range(256)} - {*string.ascii_letters.encode()})
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_DECIMAL: Final = re.compile(
    r"[+-]?([0-9]{1,20}\.?[0-9]{0,20}|\.[0-9]{1,20})([eE][+-]?[0-9]{1,3})?"
)
_LINES: Final = frozenset({"comment", "prompt", "answer"})
"""Fields whose text may have several lines."""
_SIBILANT: Final = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y: Final = re.compile(r"[^aeiou]y$")
_AGENT: Final = "$.agent."


def written_text(content: bytes, *, is_cut: bool = False) -> str:
    """Return the text of a file that people write, each line ended by a line feed.

    A byte-order mark at the start is dropped. That of UTF-16 says how to read the file: PowerShell
    of Windows writes so. A last character may lack its end where the file ``is_cut``.

    Raises:
        ValueError: when it is no text in UTF-8.
    """
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        decoder = codecs.getincrementaldecoder("utf-16" if is_utf16 else "utf-8-sig")()
        text = decoder.decode(content, final=not is_cut)
    except UnicodeDecodeError:
        raise ValueError("not text in UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def shortened(text: str, most: int) -> str:
    """Return a text, or its first characters and ``…`` if it has more than ``most``."""
    return text if len(text) <= most else f"{text[:most]}…"


def quantity(number: int, one: str, many: str | None = None, *, form: str = "") -> str:
    """Return a number with its noun: ``1 match``, ``2 matches``.

    Only the last word of the noun bends; ``many`` is its plural where that is irregular or a verb
    follows (``leaf is``, ``leaves are``). The form is that of the number, such as ``,`` for
    thousands.
    """
    noun = one if number == 1 else many or plural(one)
    return f"{number:{form}} {noun}"


def plural(noun: str) -> str:
    if _SIBILANT.search(noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if _CONSONANT_Y.search(noun) else f"{noun}s"


class Finding(NamedTuple):
    """A character that a text may not have, and its field, as in ``$.agent.version``."""

    path: str
    character: str

    def __str__(self) -> str:
        number = ord(self.character)
        return f"Control character U+{number:04X} is not allowed - at `{self.path}`"


def whole_number(text: str) -> int:
    """Return the number that up to nine of the digits 0 to 9 write; ValueError for any other text.

    ``int`` also reads the digits of other scripts, underscores, signs and spaces.
    """
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"not a whole number: {text[:QUOTED]!r}")
    return int(text)


def decimal_number(text: str) -> float:
    """Return the number that a decimal fraction writes, with an exponent or without.

    ValueError for any other text, such as ``nan`` or digits of other scripts.
    """
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"not a number: {text[:QUOTED]!r}")
    return float(text)


def may_hold_control(frame: bytes) -> bool:
    """Return whether a JSON text may hold a control character, escaped or not.

    False is certain, and is found in a fraction of the time that :func:`find_control` takes.
    """
    is_plain = frame.isascii() and b"\\" not in frame and b"\x7f" not in frame  # as nearly all are
    return not is_plain and _RAW.search(frame) is not None


def find_control(value: object, path: str = "$") -> Finding | None:
    """Return the first forbidden character in any text of a plain value, or None.

    A text under one of the keys ``comment``, ``prompt`` and ``answer`` may have several lines. The
    finding calls the value ``path``.
    """
    if isinstance(value, str):
        name = path.rpartition(".")[2]
        found = (_CONTROL_IN_LINES if name in _LINES else CONTROL).search(value)
        if found is None and path.startswith(_AGENT):
            found = UNSEEN.search(value)
        return None if found is None else Finding(path, found[0])
    if isinstance(value, Mapping):
        parts = [(f"{path}.{key}", part) for key, part in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        parts = [(f"{path}[{place}]", part) for place, part in enumerate(value)]
    else:
        return None
    findings = (find_control(part, name) for name, part in parts)
    return next((finding for finding in findings if finding is not None), None)


def for_terminal(text: str) -> str:
    """Return a text with all escaped that a terminal obeys or hides; line feeds and tabs stay."""
    return _UNPRINTABLE.sub(_escape, text)


def json_for_terminal(text: str) -> str:
    """Return a JSON text that means the same, with all escaped that a terminal obeys or hides."""
    return _UNPRINTABLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


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
    raw = received if isinstance(received, bytes) else received.encode(errors="surrogatepass")
    head = raw[:LOOKED_AT]
    all_letters = raw.translate(None, _NO_LETTERS).decode().lower()
    if _is_telling(all_letters) or _is_telling(_letters(head.decode(errors="ignore"))):
        return WITHHELD
    text = head.decode(errors="backslashreplace")
    text = _LONG.sub("[…]", text if len(raw) <= LOOKED_AT else text.rstrip(_RUN))
    return CONTROL.sub(_escape, text[:QUOTED])[:QUOTED]


def shown(text: str) -> str:
    """Return a text with control characters escaped and what may be a credential cut.

    Of a text that is longer than ``LOOKED_AT``, what lies behind is left out.
    """
    if len(text) > LOOKED_AT:
        text = text[:LOOKED_AT].rstrip(_RUN) + "…"
    return CONTROL.sub(_escape, _LONG.sub("[…]", text))


def _escape(found: re.Match[str]) -> str:
    return (
        found[0].encode("ascii", "backslashreplace").decode()
        if found[0] > "\x7f"
        else (f"\\x{ord(found[0]):02x}")
    )


def _is_telling(letters: str) -> bool:
    return any(word in letters for word in _TELLING)


def _letters(text: str) -> str:
    plain = _ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
    return "".join(filter(str.isalnum, plain.casefold()))
