"""The client's end of a connection: what it says and hears, and how the conversation ends.

A message is written to the socket in the call that sends it: a task between the two would wait
for a player that blocks the event loop.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.session import RemoteProtocolError, Role, Session

from .errors import ClientError, RefusedError, ReplacedError, ServerFaultError, ServerLeftError

LARGEST_FRAME: Final = 4 * codec.FRAME_LIMIT
CLOSE_PROTOCOL_ERROR: Final = 1002


class ClientLink:
    """The client's end of one connection.

    Attributes:
        back_after_s: seconds after which the server wants us back; None unless it said so.
        is_welcome: whether the server has sent its welcome.
    """

    def __init__(self, socket: ClientConnection, logger: logging.Logger) -> None:
        self.back_after_s: float | None = None
        self.is_welcome = False
        self._socket = socket
        self._logger = logger
        self._session = Session(Role.CLIENT)
        self._refused: RefusedError | None = None

    @property
    def has_left(self) -> bool:
        """Whether we have said goodbye."""
        return self._session.has_left

    def send(self, *messages: wire.Message) -> None:
        """Send messages; what follows our goodbye is dropped."""
        for message in messages:
            if not self._session.has_left:
                self._session.send(message)
                if self._socket.state is State.OPEN:
                    self._socket.protocol.send_text(codec.encode(message))
                    self._socket.send_data()

    async def messages(self) -> AsyncIterator[wire.ServerMessage]:
        """Yield what the server says until one end has said goodbye.

        Raises:
            ConnectionClosed: when the connection was lost.
            ClientError: when the server refused us, left for good, or broke the protocol.
        """
        while self.back_after_s is None:
            try:
                frame = await self._socket.recv()
            except ConnectionClosed as closed:
                if self._session.has_left:
                    return
                if closed.rcvd is not None and closed.rcvd.code == wire.REPLACED_CLOSE:
                    raise ReplacedError from None
                raise self._refused or closed from None
            if not self._session.has_left and (message := await self._read(frame)) is not None:
                yield message

    async def fault(self, error: Exception) -> ServerFaultError:
        """Close the connection, and return the error for a server that broke the protocol."""
        await self._socket.close(CLOSE_PROTOCOL_ERROR, str(error)[:100])
        return ServerFaultError(f"the server broke the protocol: {error}")

    async def _read(self, frame: bytes | str) -> wire.ServerMessage | None:
        """Return a message, unless it is of an unknown type or about the conversation's end."""
        try:
            message = codec.decode_server(frame)
            self._session.receive(message)
        except (codec.DecodeError, RemoteProtocolError) as error:
            if isinstance(error, codec.DecodeError) and error.code is wire.ErrorCode.UNKNOWN_TYPE:
                self._logger.info("ignored a message of unknown type: %s", error.received)
                return None
            raise await self.fault(error) from error
        match message:
            case wire.Error(fatal=True):
                self._refused = RefusedError(message.code, message.message)
                return None
            case wire.Goodbye(reconnect_after=None):
                is_replaced = message.reason == wire.REPLACED
                raise self._refused or (
                    ReplacedError() if is_replaced else ServerLeftError(message.reason)
                )
            case wire.Goodbye():
                self.back_after_s = message.reconnect_after
                return None
            case wire.Welcome():
                self.is_welcome = True
        return message


@contextmanager
def ungrouped() -> Iterator[None]:
    """Raise one error for a task group's, a `ClientError` if any; cancelled tasks stay so."""
    try:
        yield
    except ExceptionGroup as group:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise asyncio.CancelledError from None
        leaves = list(_leaves(group))
        error = next((leaf for leaf in leaves if isinstance(leaf, ClientError)), leaves[0])
    else:
        return
    raise error  # outside, or the group would be its context


def _leaves(group: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for error in group.exceptions:
        if isinstance(error, ExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
