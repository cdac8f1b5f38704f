"""The control socket: who may open it, and what is answered."""

import asyncio
import os
import pwd
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from mancala.server.control import port
from mancala.server.control.operator import Operator
from mancala.server.control.port import control_socket
from mancala.server.control.wire import Request, Response, line_of
from mancala.server.health.log import NullLog
from mancala.server.model.system_users import name_of_user
from mancala.server.store.database.faults import StoreError
from tests.server.peers import arena


def is_there(path: str) -> bool:
    return Path(path).exists()


def mode_of(path: str) -> int:
    """Return who may do what with a file."""
    return stat.S_IMODE(Path(path).stat().st_mode)


@asynccontextmanager
async def listening(folder: Path) -> AsyncIterator[str]:
    path = str(folder / "ctl")
    async with arena(folder) as running:
        operator = Operator(running.server.target)
        async with control_socket(path, operator, NullLog()):
            yield path
    assert not is_there(path)


async def asked(path: str, line: bytes) -> Response:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(line)
    answer = await reader.readline()
    assert await reader.read() == b""
    writer.close()
    return msgspec.json.decode(answer, type=Response)


async def test_the_trail_names_the_user_that_the_kernel_names(tmp_path: Path) -> None:
    """Not one that the request names; only this user may open the socket."""
    async with listening(tmp_path) as path:
        assert mode_of(path) == 0o600
        await asked(path, line_of(Request("ban", {"name": "eve", "reason": "two\nlines"})))
        response = await asked(path, line_of(Request("bans")))
    assert response.result is not None
    [ban] = response.result["bans"]
    assert (ban["by"], ban["reason"]) == (pwd.getpwuid(os.getuid()).pw_name, "two\nlines")


async def test_a_store_that_is_away_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a pooler that waits after a restart, `check` showed a Python object."""

    async def away(*_: object) -> None:
        raise StoreError("the pooler: try again later")

    monkeypatch.setattr(Operator, "carry_out", away)
    async with listening(tmp_path) as path:
        response = await asked(path, line_of(Request("check")))
    assert response.error == "check failed: the pooler: try again later"


async def test_what_is_wrong_is_one_sentence(tmp_path: Path) -> None:
    """A line that is no request, an action that there is none of, a state that forbids it."""
    async with listening(tmp_path) as path:
        for line in (b"\n", b"ban eve\n", b'{"action":1}\n', b'{"actoin":"ban"}\n'):
            nonsense = await asked(path, line)
            assert nonsense.is_usage
            assert nonsense.error.startswith("not a request: ")
        unknown = await asked(path, line_of(Request("bna")))
        refused = await asked(path, line_of(Request("unban", {"name": "eve"})))
    assert unknown.error.startswith("there is no action bna; there are ")
    assert " ban, bans, " in unknown.error
    assert refused == Response(error="there is no ban on name eve")


async def test_a_request_that_is_cut_off_is_not_carried_out(tmp_path: Path) -> None:
    """Even if all but the end of its line arrived; one that just hangs up ends nothing."""
    async with listening(tmp_path) as path:
        _reader, writer = await asyncio.open_unix_connection(path)
        writer.close()
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(line_of(Request("ban", {"name": "eve"})).removesuffix(b"\n"))
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        response = await asked(path, line_of(Request("bans")))
    assert response.result is not None
    assert response.result["bans"] == []


async def test_a_request_without_an_end_is_hung_up_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line is longer than any request."""
    monkeypatch.setattr(port, "LONGEST_REQUEST", 1024)
    async with listening(tmp_path) as path:
        reader, writer = await asyncio.open_unix_connection(path)
        writer.write(b"x" * 4096)
        assert await reader.read() == b""
        writer.close()
        assert (await asked(path, line_of(Request("who")))).result is not None


def test_a_user_without_a_name_is_a_number() -> None:
    """As in a container."""
    assert name_of_user(3_999_999_999) == "3999999999"
