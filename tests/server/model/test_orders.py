"""Whom a ban keeps out, and for how long."""

import pytest

from mancala.protocol.results import ActChange
from mancala.server.model.orders import Ban, BanKind, Visitor, ban_of, is_within, public_changes

AT, NOW, LATER = (f"2026-01-0{day}T00:00:00.000+00:00" for day in (1, 2, 3))


def ban(kind: BanKind, key: str, until: str | None = None) -> Ban:
    return Ban(kind, key, "a reason", until, AT, "root")


@pytest.mark.parametrize(
    ("kind", "key"),
    [(BanKind.NAME, "eve"), (BanKind.TOKEN, "abc"), (BanKind.ADDRESS, "192.0.2.0/24")],
)
def test_a_ban_keeps_out_whom_it_names(kind: BanKind, key: str) -> None:
    """And no other visitor; a name in any case."""
    each = ban(kind, key)
    assert ban_of([each], Visitor("Eve", "abc", "192.0.2.7"), NOW) is each
    assert ban_of([each], Visitor("evelyn", None, "192.0.3.7"), NOW) is None


def test_a_ban_ends_by_itself() -> None:
    """At its time."""
    each = ban(BanKind.NAME, "eve", NOW)
    assert each.holds(AT)
    assert not each.holds(NOW)
    assert ban_of([each], Visitor("eve", None, "::1"), LATER) is None


def test_an_address_may_be_written_in_several_ways() -> None:
    """IPv4 as IPv6; the server's own programs have none."""
    assert is_within("::ffff:192.0.2.7", "192.0.2.0/24")
    assert is_within("2001:db8::1", "2001:db8::/64")
    assert not is_within("2001:db8::1", "192.0.2.0/24")
    assert not is_within("own", "0.0.0.0/0")


def test_a_public_log_tells_no_result() -> None:
    """An event may hide it until the round is revealed."""
    change = {"what": "game", "subject": "12", "before": "drawn", "after": "bob won"}
    assert public_changes([change]) == (ActChange("game", "12"),)
    assert public_changes([{**change, "event": "cup"}]) == (ActChange("game", "12", event="cup"),)
