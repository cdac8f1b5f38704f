"""A running server and its operator, for tests of actions."""

from __future__ import annotations

from typing import Any

from mancala.protocol import codec
from mancala.server.app.server import Server
from mancala.server.control.operator import Operator
from mancala.server.control.wire import Request

BY = "root"


async def order(
    server: Server,
    action: str,
    /,
    *,
    dry_run: bool = False,
    why: str = "",
    **arguments: Any,  # noqa: ANN401  # whatever an action takes
) -> dict[str, Any]:
    """Have an action carried out; return what came of it, as JSON has it."""
    operator = Operator(server.target)
    found = await operator.carry_out(Request(action, arguments, dry_run, why), BY)
    return codec.from_json(codec.to_json(found), dict[str, Any])
