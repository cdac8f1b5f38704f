"""Names, kinds and lines of settings: find what is wrong in a file, and say what is allowed."""

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Final, TypeAlias

import msgspec
from msgspec import inspect

from mancala.protocol.messages import NAMES_ARE

SHOWN: Final = 20
"""Longest list of known names in an error that has no near one to offer."""
PLACE: Final = re.compile(r" - at (?:`key` in )?`\$\.?(?P<key>.*)`$")
LEAST, MOST = -(1 << 63), (1 << 64) - 1  # of what can be stored
MOMENT: Final = "a time such as 2027-01-31T18:00:00+01:00"
KINDS: Final = {
    "got `datetime`": "got a time",
    "got `time`": "got a time of day",
    "got `float`": "got a number with a fraction",
    "`array`, got": 'a list such as ["ann", "bob"], got',
    "`str`, got": "a text in quotes, got",
    "`object`, got": "a table such as {key = value}, got",
    "Invalid RFC3339 encoded datetime": f"expected {MOMENT}",
    "`datetime`": MOMENT,
    "`date`": "a date alone",
    "`array`": "a list",
    "`object`": "a table",
    "`bool`": "true or false",
    "`int`": "a whole number",
    "`float`": "a number",
    "`str`": "a text",
}
"""How a decoder's kinds of values are said; the one that is wanted also as it is written."""
MISSING: Final = re.compile(r"Object missing required field `(?P<key>.*)`")
PART: Final = re.compile(r"'[^']*'|[^.\[\]]+")
BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
"""A key that TOML has without quotes."""
PLACED: Final = re.compile(r"[0-9]{1,5}")
OF_FILE: Final = "no table, so it stands above the first one"
TRIED: Final = 20
"""Lines with a key's last word that are tried; each costs the reading of what is above it."""


Tables: TypeAlias = tuple[tuple[str, dict[str, inspect.Type]], ...]
"""The tables around one, the next first: where each stands, and its settings."""


def unknown_key(document: object, of: type) -> str | None:
    """Return what is wrong with the first unknown key or word of a TOML document, or None."""
    return next(_unknown(document, inspect.type_info(of), "", ()), None)


def shown(key: str) -> str:
    """Return a key as it is, or in quotes if TOML needs them."""
    return key if BARE.fullmatch(key) else repr(key)


def line_of(text: str, key: str) -> int | None:
    """Return the line of a TOML document, from 1, at which a key, or its table, is first set."""
    parts = [part.strip("'") for part in PART.findall(key)]
    tables = (parts[:most] for most in range(len(parts), 0, -1))
    return next(filter(None, (_line_of(text, table) for table in tables)), None)


def _line_of(text: str, parts: list[str]) -> int | None:
    name = next((part for part in reversed(parts) if not PLACED.fullmatch(part)), parts[0])
    lines = text.split("\n")  # alone ends a line of TOML
    named = (number for number, line in enumerate(lines, start=1) if name in line)
    for number in islice(named, TRIED):
        try:
            found = tomllib.loads("\n".join(lines[:number]))
        except tomllib.TOMLDecodeError:
            continue  # within a value of several lines
        if _holds(found, parts):
            return number
    return None


def _holds(value: object, parts: list[str]) -> bool:
    for part in parts:
        if isinstance(value, list):
            value = {str(place): item for place, item in enumerate(value)}
        if not isinstance(value, dict) or part not in value:
            return False
        value = value[part]
    return True


def located(error: msgspec.ValidationError) -> str:
    """Return a decoder's error with the key in front: ``limits.idle_s: expected a number, …``."""
    text = str(error)
    found = PLACE.search(text)
    at = [found["key"]] if found and found["key"] else []
    reason = text[: found.start()] if found else text
    reason = reason.replace(" | null`", "`")  # no file can hold it
    for kind, said in KINDS.items():
        reason = reason.replace(kind, said)
    if "matching regex" in reason:  # no setting has another pattern
        reason = f"a name is {NAMES_ARE}"
    if missing := MISSING.fullmatch(reason):
        at, reason = [*at, missing["key"]], "it is missing, and has no default"
    reason = reason[:1].lower() + reason[1:]
    return ": ".join(filter(None, (".".join(at), reason)))


def _unknown(value: object, kind: inspect.Type, at: str, outer: Tables) -> Iterator[str]:
    match kind:
        case inspect.UnionType() | inspect.Metadata():
            for one in kind.types if isinstance(kind, inspect.UnionType) else (kind.type,):
                yield from _unknown(value, one, at, outer)
        case inspect.IntType() if isinstance(value, int) and not LEAST <= value <= MOST:
            yield f"{at}: a number of more than 64 bits"
        case inspect.LiteralType() | inspect.EnumType():
            yield from _unknown_word(value, kind, at)
        case inspect.VarTupleType(item_type=inspect.StructType()) if not isinstance(value, list):
            yield f"{at}: there may be several, so each begins with [[{at}]]"
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            for place, part in enumerate(value if isinstance(value, list) else ()):
                yield from _unknown(part, item, f"{at}[{place}]", outer)
        case inspect.StructType() | inspect.DataclassType() | inspect.DictType():
            for key, part in (value if isinstance(value, dict) else {}).items():
                below = f"{at}.{shown(key)}" if at else shown(key)
                yield from _unknown_entry(key, part, kind, at, below, outer)


def _unknown_word(
    value: object, kind: inspect.LiteralType | inspect.EnumType, at: str
) -> Iterator[str]:
    words = kind.values if isinstance(kind, inspect.LiteralType) else [*kind.cls]
    if isinstance(value, str) and value not in words:  # a decoder names other kinds
        yield f"{at}: must be one of {', '.join(map(str, words))}, not {value!r}"


def _unknown_entry(
    key: str,
    value: object,
    kind: inspect.StructType | inspect.DataclassType | inspect.DictType,
    at: str,
    below: str,
    outer: Tables,
) -> Iterator[str]:
    if isinstance(kind, inspect.DictType):
        yield from _unknown(value, kind.value_type, below, outer)
        return
    known = {field.encode_name: field.type for field in kind.fields}
    if key in known:
        yield from _unknown(value, known[key], below, ((at, known), *outer))
    else:
        hint = _hint(key, list(known), at, outer)
        yield f"{below}: there is no such setting{hint}"


def _hint(key: str, known: list[str], at: str, outer: Tables) -> str:
    near = get_close_matches(key, known, n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    for above, others in outer:
        if key in others and not _is_table(others[key]):
            place = f"{above}, not to {at}" if above else OF_FILE
            return f"{hint}{' Or' if near else ';'} it belongs to {place}"
    if not near and len(known) <= SHOWN:
        hint = f"; known: {', '.join(known)}"
    return hint


def _is_table(kind: inspect.Type) -> bool:
    match kind:
        case inspect.UnionType(types=types):
            return any(map(_is_table, types))
        case inspect.Metadata(type=inner):
            return _is_table(inner)
        case inspect.VarTupleType(item_type=inner) | inspect.ListType(item_type=inner):
            return _is_table(inner)
    return isinstance(kind, inspect.StructType | inspect.DataclassType | inspect.DictType)
