"""The blocking end of the control socket."""

import asyncio
from contextlib import closing
from errno import EACCES
from pathlib import Path
from socket import socket
from typing import Never

import pytest

from mancala.server.control import client
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


@pytest.mark.parametrize(("is_hidden", "who"), [(False, "ann"), (True, "the server's own user")])
def test_another_user_reads_who_may_give_orders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str, *, is_hidden: bool
) -> None:
    """By name, unless the folder of the socket is closed as well."""
    path = str(tmp_path / "ctl")
    with closing(private_socket(path)):
        monkeypatch.setattr(socket, "connect", refuse)
        monkeypatch.setattr(client, "name_of_user", lambda _user: "ann")
        if is_hidden:
            monkeypatch.setattr(Path, "stat", refuse)
        with pytest.raises(PermissionError, match=f"{path}: only {who}.* may give it orders"):
            ask(path, Request("who"))


def refuse(*_: object) -> Never:
    raise PermissionError(EACCES, "Permission denied")
