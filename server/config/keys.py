"""Names and words of the settings: find those that do not exist, and say which ones there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

import msgspec
from msgspec import inspect

from mancala.protocol.messages import NAMES_ARE

SHOWN: Final = 12
"""Longest list of known names in an error that has no near one to offer."""
PLACE: Final = re.compile(r" - at (?:`key` in )?`\$\.?(?P<key>.*)`$")
KINDS: Final = {
    "`array`, got": 'a list such as ["ann", "bob"], got',
    "`str`, got": "a text in quotes, got",
    "`object`, got": "a table such as {move_ms = 1000}, got",
    "`array`": "a list",
    "`object`": "a table",
    "`bool`": "true or false",
    "`int`": "a whole number",
    "`float`": "a number",
    "`str`": "a text",
}
"""How a decoder's kinds of values are said; the one that is wanted also as it is written."""
MISSING: Final = re.compile(r"Object missing required field `(?P<key>.*)`")


def unknown_key(document: object, of: type) -> str | None:
    """Return what is wrong with the first unknown key or word of a TOML document, or None."""
    return next(_unknown(document, inspect.type_info(of), ""), None)


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


def _unknown(value: object, kind: inspect.Type, at: str) -> Iterator[str]:
    match kind:
        case inspect.UnionType(types=types):
            for one in types:
                yield from _unknown(value, one, at)
        case inspect.Metadata(type=inner):
            yield from _unknown(value, inner, at)
        case inspect.LiteralType(values=values) if value not in values:
            yield f"{at}: must be one of {', '.join(map(str, values))}, not {value!r}"
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            for place, part in enumerate(value if isinstance(value, list) else ()):
                yield from _unknown(part, item, f"{at}[{place}]")
        case inspect.StructType(fields=fields) | inspect.DataclassType(fields=fields):
            known = {field.encode_name: field.type for field in fields}
            for key, part in (value if isinstance(value, dict) else {}).items():
                name = f"{at}.{key}" if at else key
                if key in known:
                    yield from _unknown(part, known[key], name)
                else:
                    yield f"{name}: there is no such setting{_hint(key, list(known))}"


def _hint(key: str, known: list[str]) -> str:
    near = get_close_matches(key, known, n=3)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; known: {', '.join(known)}" if len(known) <= SHOWN else ""
