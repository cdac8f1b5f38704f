"""Modules put together into few files, so that a page opens in few round trips.

A browser asks a server for six files at a time, so fifteen modules came in three rounds. A pack is
a module that holds others: each is the body of a function there, and what it exports the value of
``$name``. What half of the pages need is in one pack, kept from page to page; each page has one for
the rest of its modules, and one for each module that it loads later. A pack imports from those that
are there before it, so each module runs once. In a module an import is one line,
and what is exported is a class, a constant or a function, where it is declared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from types import MappingProxyType
from typing import Final

from . import LATER, MEDIA_TYPES, File, bare, imports_of, modules_of

MAIN: Final = "main.js"
SHARED: Final = "packed.js"
IMPORT: Final = re.compile(rb'^import (?:\* as )?(.+) from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT: Final = re.compile(
    rb"^export (?=(?:async )?(?:class|const|function\*?) (\w+))", re.MULTILINE
)
ALONE: Final[Mapping[str, str]] = MappingProxyType({})


def packs(found: Mapping[str, File], pages: Iterable[str]) -> dict[str, File]:
    """Return the packs of pages, by name; a page is named by its module."""
    needs = {page: modules_of(found, MAIN, page) for page in pages}
    counts = Counter(name for names in needs.values() for name in names)
    shared = [name for name, count in counts.items() if 2 * count >= len(needs)]
    made = {SHARED: pack(found, MAIN, *shared)}
    for page in needs:
        _add(made, found, page, SHARED, dict.fromkeys(shared, SHARED))
    return made


def pack_of(module: str, before: str = SHARED) -> str:
    """Return the name of the pack that begins with a module, where another is there before it."""
    return f"{before.removesuffix('.js')}-{module}"


def _add(
    made: dict[str, File],
    found: Mapping[str, File],
    module: str,
    before: str,
    there: Mapping[str, str],
) -> None:
    """Add the pack that begins with a module, and those of what it loads later."""
    name = pack_of(module, before)
    made[name] = pack(found, module, there=there, name=name)
    own = [each for each in modules_of(found, module) if each not in there]
    for later in LATER.findall(b"\n".join(bare(found[each].body) for each in own)):
        _add(made, found, later.decode(), name, {**there, **dict.fromkeys(own, name)})


def pack(
    found: Mapping[str, File],
    *modules: str,
    there: Mapping[str, str] = ALONE,
    name: str = SHARED,
) -> File:
    """Return the pack of this name: modules and all that they import.

    It exports what the first one does. Modules that are ``there`` are in the packs named.
    """
    imports = {each: imports_of(found[each].body) for each in modules_of(found, *modules)}
    order = TopologicalSorter(imports).static_order()
    own = [each for each in order if each not in there]
    first = modules[0]
    before = {first, *(each for one in own for each in imports[one])} & there.keys()
    parts = [
        *(f'import {{ {_value(each)} }} from "./{there[each]}";' for each in sorted(before)),
        *(f"const {_value(each)} = (() => {{{_body(found[each].body, name)}}})();" for each in own),
        f"export {{ {', '.join(map(_value, own))} }};",
        f"export const {{ {_exports(found[first].body)} }} = {_value(first)};",
    ]
    return File("\n".join(parts).encode(), MEDIA_TYPES[".js"])


def _value(module: str) -> str:
    return f"${module.removesuffix('.js')}"


def _exports(script: bytes) -> str:
    return b", ".join(EXPORT.findall(script)).decode()


def _body(script: bytes, pack: str) -> str:
    """Return the body of a function that does what a module does, and returns its exports."""
    text = EXPORT.sub(b"", bare(script))
    text = IMPORT.sub(lambda each: b"const %b = $%b;" % (_bound(each[1]), each[2]), text)
    text = LATER.sub(rb'import("./%b")' % pack_of(r"\1", pack).encode(), text)
    return f"{text.decode()}\nreturn {{ {_exports(script)} }};"


def _bound(names: bytes) -> bytes:
    """Return what an import binds as the left side of an assignment."""
    return names.replace(b" as ", b": ")
