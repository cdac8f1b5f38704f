"""A stored field added to a copy of the sources: one line of the class that is kept."""

import ast
from pathlib import Path
from typing import Final

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

folder, *names = sys.argv[1:]
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
for name in names:
    place, copy = (f"{folder}/{name}-{each}.sqlite3" for each in ("store", "copy"))
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
    print(name, kept.made_up)
"""


def add_field(copy: Path, name: str) -> None:
    place = copy / KEPT[name]
    lines = place.read_text().splitlines(keepends=True)
    classes = (node for node in ast.parse("".join(lines)).body if isinstance(node, ast.ClassDef))
    [its] = [node for node in classes if node.name == name]
    last = max(node.end_lineno or 0 for node in its.body if isinstance(node, ast.AnnAssign))
    lines.insert(last, FIELD)
    place.write_text("".join(lines))


def test_a_stored_field_is_one_line(tmp_path: Path) -> None:
    """Column, entry, reading, copy and comparison follow from the class."""
    copy = copy_sources(tmp_path / "copy")
    for name in KEPT:
        add_field(copy, name)
    done = run_in(copy, "-c", LOOK, str(tmp_path), *KEPT)
    assert done.stdout == "".join(f"{name} stored\n" for name in KEPT), done.stderr
