"""The lobby of a store: its rooms, and what the store has kept for them."""

from collections.abc import Callable
from functools import partial

from ..lobby.sessions import SessionRegistry
from ..match.context import Context
from ..model.day_counts import DAY_S
from ..model.timestamps import later
from ..reviews.dispatcher import ReviewDispatcher
from ..store import Store
from ..store.rows.contests import kept_events
from ..store.rows.day_counts import counted_since
from ..store.rows.ladders import kept_ladders
from ..store.rows.matches import unfinished
from ..store.rows.orders import kept_orders
from ..store.rows.reviews import StoredReviews
from ..store.rows.tokens import former_sessions


async def lobby_of(store: Store, context: Context) -> tuple[SessionRegistry, Callable[[], None]]:
    """Return a lobby in which the operator's orders hold, and what restores all else in it."""
    reviews = ReviewDispatcher(StoredReviews(store.ask), context)
    lobby = SessionRegistry(context, store, reviews, store.read_event)
    lobby.orders.restore(await store.run(kept_orders))
    sessions = await store.run(former_sessions)
    matches = await store.run(unfinished)
    ladders = await store.run(kept_ladders)
    counted = await store.run(counted_since, later(context.utc(), -DAY_S))
    events = await store.run(kept_events)
    return lobby, partial(lobby.restore, sessions, matches, ladders, counted, events)
