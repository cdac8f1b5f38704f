"""The blocking end of the control socket."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mancala.server.control.client import NotRunningError, ask
from mancala.server.control.wire import Request
from mancala.server.net.private_port import private_socket
from tests.server.control.test_port import listening


async def test_a_running_server_answers(tmp_path: Path) -> None:
    """Also at a path that is too long for the address of a socket."""
    folder = tmp_path / ("deep" * 30)
    folder.mkdir()
    async with listening(folder) as path:
        response = await asyncio.to_thread(ask, path, Request("who"))
    assert response.result is not None
    assert response.result["bots"] == []


def test_where_none_listens_is_said_so(tmp_path: Path) -> None:
    """Neither without a socket, nor at one that a killed server left."""
    path = str(tmp_path / "ctl")
    with pytest.raises(NotRunningError):
        ask(path, Request("who"))
    private_socket(path).close()
    with pytest.raises(NotRunningError):
        ask(path, Request("who"))
