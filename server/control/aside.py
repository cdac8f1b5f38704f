"""What the broker does not accept, as the operator reads it."""

from ..store.rows import outbox
from .actions import ListAside
from .operator import Order, Plan, Target


async def aside(target: Target, wanted: ListAside, _order: Order) -> Plan:
    """List rows of the outbox that are put aside, with the number of all."""
    store = target.store
    rows = await store.read_apart(outbox.first_put_aside, wanted.first)
    by_reason = await store.all_put_aside()
    return Plan(facts={"aside": rows, "rows": sum(each.rows for each in by_reason)})
