"""The table of what stands around a server."""

from __future__ import annotations

from tests.world.__main__ import ROWS, in_table
from tests.world.proxies import PAGE

KINDS = ("broker", "database", "client", "browser", "proxy")


def test_each_counterpart_has_its_row() -> None:
    """What is tried, and nothing else, is in the tables of the docs."""
    tables = PAGE.read_text().partition("\n## Recipes\n")[0]
    names = [
        line.split(" | ")[0].removeprefix("| ") for line in tables.splitlines() if "| " in line
    ]
    assert sorted(names) == sorted([*ROWS, *KINDS, *["---"] * len(KINDS)])


def test_what_did_not_hold_is_named_in_the_row() -> None:
    """One row changes, and no other line."""
    before = PAGE.read_text()
    after = in_table(before, "mosquitto", "9.9", {"it plays": True, "it counts": False})
    changed = [
        new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new
    ]
    assert len(changed) == 1
    assert changed[0].startswith("| mosquitto | 9.9 | Debian `mosquitto` | not: it counts | ")
