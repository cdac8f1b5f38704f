"""One meaning a name: a class has a name of its own."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.sources import PRODUCT, ROOT, statements

PLACES: Final = (*(place for place in PRODUCT if place != "mancala"), "tests")
"""The folders with sources; the one left out has links to them."""
DELIBERATE: Final = {
    "Connection": "to a server, and from a client",
    "Dialogue": "with a program, and with a language model",
    "GameResult": "as a bot's author sees it, and as it is published",
    "GameSummary": "of a game in a file, and of one in the store",
    "Limits": "as the wire states them, and as they are set",
    "Listing": "as the wire carries it, and as the store reads it",
    "MoveValue": "as the engine finds it, and as the wire carries it",
    "Part": "of a message, and of a file",
    "Phase": "of a game, and of an event",
    "Plan": "of an action, and of an event",
    "RefusedError": "of a request to a server, and of an action",
    "Stage": "of a knock-out, and of a game that is shown",
    "Standing": "as it is published, and as it is computed",
    "Status": "of a game for an agent, and of a server",
    "Tally": "of choices in a review, and of outcomes",
    "Terms": "of an event, and of a match",
    "Turn": "as a bot's author sees it, and as the wire carries it",
}
"""Names that two classes share on purpose, with their two meanings."""


def _classes() -> Iterator[tuple[str, Path]]:
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*.py")):
            for node in statements(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    yield node.name, path.relative_to(ROOT)


def test_a_class_has_a_name_of_its_own() -> None:
    """A name in two files has two meanings, which are stated; none is in three."""
    places = defaultdict(set)
    for name, path in _classes():
        places[name].add(str(path))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: sorted(shared[name]) for name in shared.keys() - DELIBERATE} == {}
    assert all(len(found) == 2 for found in shared.values()), shared
