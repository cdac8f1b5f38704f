"""The operator's way in: the control socket of a running server, or the store of a stopped one.

Where no server runs, the lobby is restored from the store as at a start, without ports, and with no
game going on. So an action means the same, and the same code writes the tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path  # noqa: TID251  # the settings name the socket
from typing import Any, Final

from ..config.settings import IN_MEMORY, Config, LiveConfig
from ..control.operator import Operator, Target
from ..control.port import control_socket
from ..control.wire import Request
from ..health.fairness import Fairness
from ..health.log import Log, NullLog
from ..lobby.sessions import SessionRegistry
from ..match.context import Context
from ..model.events import EventFactory
from ..reviews.dispatcher import ReviewDispatcher
from ..store import Store, StoreError
from ..store.reading.inspection import expect_store
from ..store.rows.contests import kept_events
from ..store.rows.reviews import StoredReviews
from .system import System

PRIVATE: Final = 0o700


@asynccontextmanager
async def operated(target: Target, log: Log) -> AsyncIterator[Operator]:
    """Carry out what the operator orders during the block, over the control socket.

    Yields what carries the orders out, for other ways in.

    A default socket that can't be made is only logged: the server is worth more than its operator.

    Raises:
        OSError: when the configured socket can't be made.
    """
    config = target.config()
    path, operator = config.ctl_path, Operator(target)
    if path is None:
        yield operator
        return
    try:
        Path(path).parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        socket = control_socket(path, operator, log)
        await socket.__aenter__()
    except OSError as error:
        if config.ctl is not None:
            raise
        log.warning("no control socket", path=path, error=str(error))
        yield operator
        return
    try:
        yield operator
    finally:
        await socket.__aexit__(None, None, None)


async def carry_out(config: Config, request: Request, by: str) -> dict[str, Any]:
    """Carry an action out on the store of a server that is stopped; return what came of it.

    Args:
        config: the server's settings.
        request: the action.
        by: the system user who asks for it.

    Raises:
        StoreInUseError: when a server runs on the store.
        StoreMissingError: when there is no store.
        StoreError: when it can't be opened.
        RefusedError: when the action can't be carried out.
    """
    if config.store_path == IN_MEMORY:
        raise StoreError("a store in memory is gone with its server")
    expect_store(config.store_path)
    async with _stopped(config) as target:
        return await Operator(target).carry_out(request, by)


@asynccontextmanager
async def _stopped(config: Config) -> AsyncIterator[Target]:
    """Restore a stopped server's lobby from its store, for the block."""
    failures: list[Exception] = []
    async with Store(config.store_path, failed=failures.append) as store:
        context = _context(config, store)
        reviews = ReviewDispatcher(StoredReviews(store.ask), context)
        sessions = SessionRegistry(store, context, reviews, store.read_event)
        sessions.orders.restore(await store.orders())
        sessions.drain(lambda: None)
        kept, matches = await store.unfinished()
        sessions.restore(kept, matches, await store.ladders(), events=await store.read(kept_events))
        yield Target(
            sessions=sessions, store=store, context=context, config=lambda: config, is_live=False
        )
        sessions.suspend()


def _context(config: Config, store: Store) -> Context:
    loop, system, live = asyncio.get_running_loop(), System(), LiveConfig(config)
    return Context(
        config=live,
        journal=store,
        events=EventFactory(config.name, config.topics),
        now=loop.time,
        call_at=loop.call_at,
        utc=system.utc,
        new_id=system.new_id,
        new_secret=system.new_secret,
        pick=system.rng.choice,
        log=NullLog(),
        fairness=Fairness(live),
    )
