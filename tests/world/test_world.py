"""The table of what stands around a server."""

from tests.world.__main__ import ROWS, in_table
from tests.world.proxies import PAGE

KINDS = ("broker", "database", "client", "browser", "proxy")


def test_each_counterpart_has_its_row() -> None:
    """What is tried, and nothing else, is in the tables of the docs, with what to know of it."""
    tables = PAGE.read_text().partition("\n## Recipes\n")[0]
    cells = [line.split(" | ") for line in tables.splitlines() if "| " in line]
    rows = {each[0].removeprefix("| "): each[-1].removesuffix("|").strip() for each in cells}
    rows.pop("---")
    assert rows == {**dict.fromkeys(KINDS, "to know"), **{k: v.lines for k, v in ROWS.items()}}


def test_what_did_not_hold_is_named_in_the_row() -> None:
    """One row changes, and no other line."""
    before = PAGE.read_text()
    after = in_table(before, "mosquitto", "9.9", {"it plays": True, "it counts": False})
    changed = [
        new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new
    ]
    assert len(changed) == 1
    assert changed[0].startswith("| mosquitto | 9.9 | Debian `mosquitto` | not: it counts | ")
