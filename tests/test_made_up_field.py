"""A stored field added to a copy of the sources: one line of the class that is kept."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

from tests.sources import copy_sources, run_in

FIELD: Final = '    made_up: str = "nothing"\n'
KEPT: Final = {
    "Ban": "server/model/orders.py",
    "Switch": "server/model/orders.py",
    "AdminAct": "server/model/orders.py",
    "Entrant": "server/model/entrant.py",
    "EntrantRow": "server/model/contests.py",
    "PairingRow": "server/model/contests.py",
    "EventGameRow": "server/model/contests.py",
    "Counted": "server/model/day_counts.py",
    "Outcome": "protocol/messages/parts.py",
}
"""Classes whose instances are rows of a table, and where they are."""
LOOK: Final = """
import sys
from contextlib import closing
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.results import Payload
from mancala.protocol.rules import Rules
from mancala.server.model.contests import *
from mancala.server.model.day_counts import Counted, CountKind
from mancala.server.model.entrant import Entrant
from mancala.server.model.journal import *
from mancala.server.model.match import Terms
from mancala.server.model.orders import *
from mancala.server.store.carrying.copying import copy_store
from mancala.server.store.database.database import connect
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows import contests, day_counts, ladders, orders, records

place, copy, name = sys.argv[1:]
AT = "2026-01-01T00:00:00.000+00:00"
FACTS = {
    "Ban": (BanKind.NAME, "eve", "she cheats", None, AT, "root"),
    "Switch": (SwitchKind.PAUSED, "main", "a fault", AT),
    "AdminAct": (AT, "root", "ban", "{}", ""),
    "Entrant": ("ann@1",),
    "EntrantRow": ("ann", 1, None, 0),
    "PairingRow": (1, 0, "ann", None, "abc"),
    "EventGameRow": (0, "ann", "bob", 1, -4, "normal", "g1", 0),
    "Counted": (CountKind.VOID, "ann", "g1", AT),
    "Outcome": (0, (25, 23), Reason.NORMAL),
}
ENTRIES = {
    "Ban": Banned,
    "Switch": SwitchedOn,
    "AdminAct": AdminLogged,
    "Entrant": lambda kept: EntrantRated("main", kept),
    "EntrantRow": lambda kept: EventEntrantsChanged("cup", (kept,)),
    "PairingRow": lambda kept: EventPaired("cup", (kept,)),
    "EventGameRow": lambda kept: EventGameCounted("cup", kept),
    "Counted": lambda kept: kept,
    "Outcome": lambda kept: GameClosed("g", kept, AT, Announcement("t", "e", Payload("e", 0, "s"))),
}
READ = {
    "Ban": lambda found: orders.kept_orders(found).bans,
    "Switch": lambda found: orders.kept_orders(found).switches,
    "AdminAct": lambda found: [line.act for line in orders.logged(found, 9)],
    "Entrant": lambda found: ladders.kept_ladders(found)["main"].entrants,
    "EntrantRow": lambda found: contests.kept_event(found, "cup").entrants,
    "PairingRow": lambda found: contests.kept_event(found, "cup").pairings,
    "EventGameRow": lambda found: contests.kept_event(found, "cup").games,
    "Counted": lambda found: day_counts.counted_since(found, "0"),
    "Outcome": lambda found: [records.record_of(found, "g", "s").result],
}
kept = globals()[name](*FACTS[name], made_up="stored")
with closing(connect(place)) as connection, connection.begin():
    transaction = Transaction(connection)
    write_all([EventStepped("cup", "open", "open", 0, None, None, AT)], transaction)
    opened = MatchOpened("m", ("ann", "bob"), Terms(Rules(), TimeControl(), False, 1), AT)
    write_all([opened, GameOpened("g", "m", 0, AT)], transaction)
    write_all([ENTRIES[name](kept)], transaction)
    transaction.flush()
copy_store(place, copy, lambda _done, _total: None)
with closing(connect(copy)) as connection, connection.begin():
    assert list(READ[name](Transaction(connection))) == [kept]
print(kept.made_up)
"""


def add_field(copy: Path, name: str) -> None:
    """Add the field behind those of a class."""
    place = copy / KEPT[name]
    lines = place.read_text().splitlines(keepends=True)
    classes = (node for node in ast.parse("".join(lines)).body if isinstance(node, ast.ClassDef))
    [its] = [node for node in classes if node.name == name]
    last = max(node.end_lineno or 0 for node in its.body if isinstance(node, ast.AnnAssign))
    lines.insert(last, FIELD)
    place.write_text("".join(lines))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources in which each class has the field."""
    copy = copy_sources(tmp_path_factory.mktemp("copy"))
    for name in KEPT:
        add_field(copy, name)
    return copy


@pytest.mark.parametrize("name", KEPT)
def test_a_stored_field_is_one_line(sources: Path, tmp_path: Path, name: str) -> None:
    """Column, entry, reading, copy and comparison follow from the class."""
    places = (str(tmp_path / "store.sqlite3"), str(tmp_path / "copy.sqlite3"))
    done = run_in(sources, "-c", LOOK, *places, name)
    assert done.stdout == "stored\n", done.stderr
