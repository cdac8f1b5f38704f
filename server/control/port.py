"""The control socket: a unix socket that only the server's user may open.

Each connection asks for one action and gets one response. Who asks is what the kernel says of the
peer, not what the peer says.
"""

import asyncio
import contextlib
import socket  # noqa: TID251  # for what the kernel says of the peer
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from ..health.log import Log
from ..model.system_users import name_of_user
from ..net.private_port import private_server
from ..store.database.faults import StoreError
from .operator import Operator, RefusedError, UsageError
from .wire import LONGEST_REQUEST, Request, Response, line_of

CREDENTIALS: Final = struct.Struct("3i")
"""Process, user and group of the peer."""
PATIENCE_S: Final = 10.0
"""A peer that sends no request for so long is not waited for."""


@asynccontextmanager
async def control_socket(path: str, operator: Operator, log: Log) -> AsyncIterator[None]:

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        await serve_order(reader, writer, operator, user_of(writer), log)

    async with private_server(path, serve, LONGEST_REQUEST):
        yield


async def serve_order(
    reader: StreamReader, writer: StreamWriter, operator: Operator, by: str, log: Log
) -> None:
    """Read the order of a connection by a user, have it carried out, answer, and close."""
    with contextlib.suppress(ConnectionError, TimeoutError, ValueError):
        async with asyncio.timeout(PATIENCE_S):
            line = await reader.readline()
        if line.endswith(b"\n"):  # one that is cut off is no order
            answer = line_of(await _answer(operator, line, by, log))
            writer.write(answer)
            await writer.drain()
    writer.close()


async def _answer(operator: Operator, line: bytes, by: str, log: Log) -> Response:
    try:
        request = msgspec.json.decode(line, type=Request)
    except ValueError as error:
        return Response(error=f"not a request: {error}", is_usage=True)
    try:
        return Response(await operator.carry_out(request, by))
    except RefusedError as error:
        return Response(error=str(error), is_usage=isinstance(error, UsageError))
    except Exception as error:  # noqa: BLE001  # an action must not end the server
        log.warning("action failed", action=request.action, error=repr(error))
        said = error if isinstance(error, StoreError) else repr(error)
        return Response(error=f"{request.action} failed: {said}")


def user_of(writer: StreamWriter) -> str:
    """Return the system user at the other end, by name, or by number if it has none."""
    connection: Any = writer.get_extra_info("socket")
    facts = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    _process, user, _group = CREDENTIALS.unpack(facts)
    return name_of_user(user)
