"""The operator's orders in the store: bans, switches, and the trail of who did what."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Row, bindparam, delete, func, insert, literal_column, select

from ...model.journal import AdminLogged, Banned, SwitchedOff, SwitchedOn, Unbanned
from ...model.orders import AdminAct, Ban, BanKind, KeptOrders, LoggedAct, Switch, SwitchKind
from ..database.schema import admin_log, bans, switches
from ..database.upsert import upsert
from ..database.writer import Transaction

BAN: Final = upsert(bans)
UNBAN: Final = delete(bans).where(
    bans.c.kind == bindparam("key_kind"), bans.c.key == bindparam("key_key")
)
SWITCH_ON: Final = upsert(switches)
SWITCH_OFF: Final = delete(switches).where(
    switches.c.kind == bindparam("key_kind"), switches.c.subject == bindparam("key_subject")
)
LAST: Final = select(func.coalesce(func.max(admin_log.c.number), literal_column("0")))
LOG: Final = insert(admin_log)


def ban(entry: Banned, transaction: Transaction) -> None:
    """Write a ban."""
    its = entry.ban
    transaction.put(
        BAN,
        {
            "kind": its.kind.value,
            "key": its.key,
            "reason": its.reason,
            "until": its.until,
            "at": its.at,
            "by": its.by,
        },
    )


def unban(entry: Unbanned, transaction: Transaction) -> None:
    """Delete a ban."""
    transaction.put(UNBAN, {"key_kind": entry.kind.value, "key_key": entry.key})


def switch_on(entry: SwitchedOn, transaction: Transaction) -> None:
    """Write a state that holds."""
    its = entry.switch
    transaction.put(
        SWITCH_ON,
        {
            "kind": its.kind.value,
            "subject": its.subject,
            "text": its.text,
            "at": its.at,
            "until": its.until,
        },
    )


def switch_off(entry: SwitchedOff, transaction: Transaction) -> None:
    """Delete a state."""
    transaction.put(SWITCH_OFF, {"key_kind": entry.kind.value, "key_subject": entry.subject})


def log(entry: AdminLogged, transaction: Transaction) -> None:
    """Add a line to the trail."""
    [(last,)] = transaction.fetch(LAST, {})
    its = entry.act
    transaction.put(
        LOG,
        {
            "number": last + 1,
            "at": its.at,
            "by": its.by,
            "action": its.action,
            "what": its.what,
            "why": its.why,
        },
    )


def kept_orders(transaction: Transaction) -> KeptOrders:
    """Return the orders of the previous process, also those whose time is over."""
    found = transaction.execute(select(bans).order_by(bans.c.at)).mappings().all()
    set_ = transaction.execute(select(switches)).mappings().all()
    return KeptOrders(
        tuple(
            Ban(BanKind(row["kind"]), row["key"], row["reason"], row["until"], row["at"], row["by"])
            for row in found
        ),
        tuple(
            Switch(SwitchKind(row["kind"]), row["subject"], row["text"], row["at"], row["until"])
            for row in set_
        ),
    )


def logged(transaction: Transaction, limit: int) -> list[LoggedAct]:
    """Return the last lines of the trail, the latest first."""
    query = select(admin_log).order_by(admin_log.c.number.desc()).limit(limit)
    return [_act(row) for row in transaction.execute(query)]


def act_of(transaction: Transaction, number: int) -> LoggedAct | None:
    """Return one line of the trail, or None."""
    row = transaction.execute(select(admin_log).where(admin_log.c.number == number)).one_or_none()
    return None if row is None else _act(row)


def _act(row: Row[Any]) -> LoggedAct:
    return LoggedAct(row.number, AdminAct(row.at, row.by, row.action, row.what, row.why))
