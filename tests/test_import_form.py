"""The contract on the form of imports finds each import that is written in the other form."""

import pytest
from grimp import ImportGraph

from tests.import_form import ImportForm


@pytest.mark.parametrize(
    ("imported", "line", "is_kept"),
    [
        ("mancala.server.store.store", "from ..store.store import Store", True),
        ("mancala.server.store.store", "from mancala.server.store.store import Store", False),
        ("mancala.protocol.rules", "from mancala.protocol.rules import Board", True),
        ("mancala.protocol", "from mancala import protocol", True),
        ("mancala.protocol.rules", "from ...protocol.rules import Board", False),
        ("msgspec", "from msgspec import Struct", True),
    ],
)
def test_the_form_of_an_import_says_whether_it_leaves_the_room(
    imported: str, line: str, *, is_kept: bool
) -> None:
    """Inside a room it is relative, across rooms it names ``mancala.<room>``."""
    graph = ImportGraph()
    graph.add_module("mancala.server")
    graph.add_module("mancala.server.web.api.api")
    graph.add_import(
        importer="mancala.server.web.api.api", imported=imported, line_number=1, line_contents=line
    )
    options = {"name": "form", "rooms": ["mancala.server"], "alone": []}
    contract = ImportForm("form", session_options={}, contract_options=options)
    assert contract.check(graph, verbose=False).kept == is_kept
