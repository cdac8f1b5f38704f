"""Modules put together into few files, so that a page opens in few round trips.

A browser asks a server for six files at a time, so fifteen modules came in three rounds. A pack is
a module that holds others: each is the body of a function there, and what it exports the value of
``$name``. What half of the pages need is in one pack, kept from page to page; so is what two packs
of a page need, so each module runs once. Each page has a pack for the rest of its modules, and so
has each module that is loaded later. In a module an import is one line, and what is exported is a
class, a constant or a function, where it is declared.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from graphlib import TopologicalSorter
from typing import Final

from . import LATER, MEDIA_TYPES, File, bare, imports_of, later_of, modules_of

MAIN: Final = "main.js"
PACKED: Final = "packed"
"""How the names of packs begin, and of no module."""
SHARED: Final = f"{PACKED}.js"
IMPORT: Final = re.compile(rb'^import (?:\* as )?(.+) from "\./(\w+)\.js";$', re.MULTILINE)
EXPORT: Final = re.compile(
    rb"^export (?=(?:async )?(?:class|const|function\*?) (\w+))", re.MULTILINE
)


def packs(found: Mapping[str, File], pages: Iterable[str]) -> dict[str, File]:
    heads = {page: _heads(found, page) for page in pages}
    counts = Counter(name for page in heads for name in modules_of(found, MAIN, page))
    shared = [name for name, count in counts.items() if 2 * count >= len(heads)]
    for each in heads.values():
        counts = Counter(name for head in each for name in modules_of(found, head))
        shared += [name for name, count in counts.items() if count > 1 and name not in shared]
    made = {SHARED: pack(found, MAIN, *shared)}
    for head in dict.fromkeys(head for each in heads.values() for head in each):
        made[pack_of(head)] = pack(found, head, there=shared)
    return made


def pack_of(module: str) -> str:
    return f"{PACKED}-{module}"


def _heads(found: Mapping[str, File], page: str) -> list[str]:
    """Return the modules that a page's packs begin with: its own, and those loaded later."""
    names = modules_of(found, MAIN, page, with_later=True)
    later = (head for name in names for head in later_of(found[name].body))
    return list(dict.fromkeys((page, *later)))


def pack(found: Mapping[str, File], *modules: str, there: Collection[str] = ()) -> File:
    """Return a pack: modules with all that they import, but for those ``there`` already."""
    imports = {each: imports_of(found[each].body) for each in modules_of(found, *modules)}
    order = TopologicalSorter(imports).static_order()
    own = [each for each in order if each not in there]
    first = modules[0]
    before = {first, *(each for one in own for each in imports[one])} & {*there}
    parts = [
        f'import {{ {_values(sorted(before))} }} from "./{SHARED}";' if before else "",
        *(f"const {_value(each)} = (() => {{{_body(found[each].body)}}})();" for each in own),
        f"export {{ {_values(own)} }};",
        f"export const {{ {_exports(found[first].body)} }} = {_value(first)};",
    ]
    return File("\n".join(parts).encode(), MEDIA_TYPES[".js"])


def _values(modules: Iterable[str]) -> str:
    return ", ".join(map(_value, modules))


def _value(module: str) -> str:
    return f"${module.removesuffix('.js')}"


def _exports(script: bytes) -> str:
    return b", ".join(EXPORT.findall(script)).decode()


def _body(script: bytes) -> str:
    """Return the body of a function that does what a module does, and returns its exports."""
    text = EXPORT.sub(b"", bare(script))
    text = IMPORT.sub(lambda each: b"const %b = $%b;" % (_bound(each[1]), each[2]), text)
    text = LATER.sub(rb'import("./%b")' % pack_of(r"\1").encode(), text)
    return f"{text.decode()}\nreturn {{ {_exports(script)} }};"


def _bound(names: bytes) -> bytes:
    """Return what an import binds as the left side of an assignment."""
    return names.replace(b" as ", b": ")
