"""The operator's way in: the control socket of a running server, or the store of a stopped one.

Where no server runs, the lobby is restored from the store as at a start, without ports, and with no
game going on. So an action means the same, and the same code writes the tables.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path  # noqa: TID251  # the settings name the socket
from typing import Any, Final

from ..config.settings import IN_MEMORY, Config, LiveConfig
from ..control.operator import Operator, Target
from ..control.port import control_socket
from ..control.wire import Request
from ..health.fairness import Fairness
from ..health.log import Log, NullLog
from ..store import Store, StoreError
from ..store.database.database import expect_unclaimed
from ..store.reading.inspection import expect_store
from .restoring import lobby_of
from .system import System

PRIVATE: Final = 0o700


@asynccontextmanager
async def operated(target: Target, log: Log) -> AsyncIterator[Operator]:
    """Carry out what the operator orders during the block, over the control socket.

    Yield what carries the orders out, for other ways in. A default socket that can't be made is
    only logged: the server is worth more than its operator.
    """
    config = target.config()
    path, operator = config.ctl_path, Operator(target)
    async with AsyncExitStack() as stack:
        try:
            if path is not None:
                Path(path).parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
                await stack.enter_async_context(control_socket(path, operator, log))
        except OSError as error:
            if config.ctl is not None:
                raise
            log.warning("no control socket", path=path, error=str(error))
        yield operator


async def carry_out(config: Config, request: Request, by: str) -> dict[str, Any]:
    """Carry an action out on the store of a server that is stopped; return what came of it.

    ``by`` is the system user who asks for it. StoreInUseError, StoreMissingError or StoreError says
    why the store can't be opened, RefusedError why the action can't be carried out.
    """
    if config.store_path == IN_MEMORY:
        raise StoreError("a store in memory is gone with its server")
    expect_store(config.store_path)
    expect_unclaimed(config.store_path)  # which says so without the patience of a claim
    async with _stopped(config) as target:
        return await Operator(target).carry_out(request, by)


@asynccontextmanager
async def _stopped(config: Config) -> AsyncIterator[Target]:
    failures: list[Exception] = []
    async with Store(config.store_path, failed=failures.append) as store:
        live = LiveConfig(config)
        context = System().context(live, store, NullLog(), Fairness(live))
        sessions, restore = await lobby_of(store, context)
        sessions.drain(lambda: None)
        restore()
        yield Target(
            sessions=sessions, store=store, context=context, config=lambda: config, is_live=False
        )
        sessions.suspend()
