"""The operator's orders in the store: bans, switches, and the trail of who did what."""

from typing import Final

from sqlalchemy import func, insert, literal_column, select

from ...model.journal import AdminLogged
from ...model.orders import Ban, KeptOrders, LoggedAct, Switch
from ..database.schema import admin_log, bans, switches
from ..database.shapes import row_of, things
from ..database.writer import Transaction
from .outbox import announce

LAST: Final = select(func.coalesce(func.max(admin_log.c.number), literal_column("0")))
LOG: Final = insert(admin_log)


def log(entry: AdminLogged, transaction: Transaction) -> None:
    """Add a line to the trail, and announce it where the log is public."""
    [(last,)] = transaction.fetch(LAST, {})
    transaction.put(LOG, row_of(LOG, entry.act, number=last + 1))
    if entry.announcement is not None:
        announce(entry.announcement, transaction)


def kept_orders(transaction: Transaction) -> KeptOrders:
    """Return the orders of the previous process, also those whose time is over."""
    return KeptOrders(
        tuple(things(transaction, Ban, select(bans).order_by(bans.c.at))),
        tuple(things(transaction, Switch, select(switches))),
    )


def logged(transaction: Transaction, limit: int) -> list[LoggedAct]:
    """Return the last lines of the trail, the latest first."""
    query = select(admin_log).order_by(admin_log.c.number.desc()).limit(limit)
    return things(transaction, LoggedAct, query)


def act_of(transaction: Transaction, number: int) -> LoggedAct | None:
    query = select(admin_log).where(admin_log.c.number == number)
    return next(iter(things(transaction, LoggedAct, query)), None)
