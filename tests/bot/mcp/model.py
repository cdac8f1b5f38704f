"""A client of the tools, as a language model has one.

Both ends of the protocol are loaded when it connects: that takes each process a second.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from mancala.protocol.messages import Agent

if TYPE_CHECKING:
    from fastmcp import Client

NOWHERE = "ws://127.0.0.1:1"
"""A server that no test asks for anything."""


@asynccontextmanager
async def connected(
    url: str = NOWHERE, http: str | None = None, name: str = "model"
) -> AsyncIterator[Client[Any]]:
    from fastmcp import Client

    from mancala.bot.mcp.tools import Destination, make_server

    place = Destination(url, http, name, None, Agent("mcp", "1.2.3"))
    async with Client(make_server(place)) as tools:
        yield tools


async def call(tools: Client[Any], tool: str, **arguments: object) -> Any:  # noqa: ANN401  # any JSON
    answer = (await tools.call_tool(tool, arguments)).structured_content
    assert answer is not None
    return answer.get("result", answer)


def refused(match: str | None = None) -> pytest.RaisesExc[Exception]:
    from fastmcp.exceptions import ToolError

    return pytest.raises(ToolError, match=match)
