"""The operator's orders as the store keeps them."""

import pytest

from mancala.server.model.journal import AdminLogged, Banned, SwitchedOff, SwitchedOn, Unbanned
from mancala.server.model.orders import (
    AdminAct,
    Ban,
    BanKind,
    KeptOrders,
    LoggedAct,
    Switch,
    SwitchKind,
)
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows.orders import act_of, kept_orders, logged

pytestmark = pytest.mark.usefixtures("database")
AT = "2026-01-01T00:00:00.000+00:00"
EVE = Ban(BanKind.NAME, "eve", "she cheats", None, AT, "root")
HOME = Ban(BanKind.ADDRESS, "192.0.2.0/24", "", AT, AT, "root")
PAUSED = Switch(SwitchKind.PAUSED, "main", "a fault", AT)


def test_orders_come_back_as_they_were_given(transaction: Transaction) -> None:
    """The last one for a key; those that were taken back are gone."""
    former = Ban(EVE.kind, EVE.key, "a rumour", None, AT, "ann")
    write_all([Banned(former), Banned(EVE), Banned(HOME), SwitchedOn(PAUSED)], transaction)
    assert kept_orders(transaction) == KeptOrders((EVE, HOME), (PAUSED,))
    write_all(
        [Unbanned(HOME.kind, HOME.key), SwitchedOff(PAUSED.kind, PAUSED.subject)], transaction
    )
    assert kept_orders(transaction) == KeptOrders((EVE,), ())


def test_the_trail_is_numbered(transaction: Transaction) -> None:
    """A line is found by its number."""
    acts = [AdminAct(AT, "root", action, "{}", "") for action in ("ban", "unban", "notice")]
    write_all([AdminLogged(act) for act in acts], transaction)
    assert logged(transaction, 2) == [LoggedAct(3, acts[2]), LoggedAct(2, acts[1])]
    assert act_of(transaction, 1) == LoggedAct(1, acts[0])
    assert act_of(transaction, 4) is None
