"""The robot's end of one websocket connection: says messages, and judges what the bot says."""

import asyncio
import re
from collections import deque
from collections.abc import Mapping
from typing import Final

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.messages import ErrorCode
from mancala.protocol.session import RemoteProtocolError, Role, Session
from mancala.protocol.text import quantity

from .verdicts import FailureError, Rule, paragraph, short

RULES: Final = {
    ErrorCode.TOO_LARGE: "A frame holds at most",
    ErrorCode.UNKNOWN_TYPE: "there is no message of this `type`",
    ErrorCode.NOT_JSON: "one JSON object in UTF-8",
}
NO_OBJECT: Final = re.compile(r"Expected `object`, got `\w+`$|missing required field `type`")
WRONG_NUMBER: Final = re.compile(r"Expected `int`, got `(bool|float|str)`")
NO_MEMBER: Final = Rule("a member is missing, of the wrong type or out of range")
KIND: Final = re.compile(r'"type"\s*:\s*"(\w+)"')
FIELD: Final = re.compile(r"missing required field `(\w+)`$|`\$\.(\w+)`$")


def failure_of(frame: str, error: codec.DecodeError) -> FailureError:
    got = (
        f"{error}: {short(frame)}"
        if error.code is ErrorCode.TOO_LARGE
        else f"{short(frame)}: {error}"
    )
    return FailureError("a message of section 4", got, rule_of(frame, error))


def rule_of(frame: str, error: codec.DecodeError) -> Rule:
    """Return the rule that a frame breaks: that of its faulty field, where it has one."""
    if error.code in RULES:
        return Rule(RULES[error.code])
    if NO_OBJECT.search(str(error)):
        return Rule(RULES[ErrorCode.NOT_JSON])
    if WRONG_NUMBER.search(str(error)):
        return Rule("JSON types are exact")
    if str(error).startswith("Control character"):
        return Rule("may hold a control character")
    return _of_member(frame, str(error))


def _of_member(frame: str, error: str) -> Rule:
    field, kind = FIELD.search(error), KIND.search(frame)
    if field is None or kind is None:
        return NO_MEMBER
    rule = Rule(f"| `{field[1] or field[2]}", f"### `{kind[1]}`")
    try:
        paragraph(*rule)
    except ValueError:  # its type is none, or stated twice
        return NO_MEMBER
    return rule


class GoneError(Exception):
    """The bot closed the connection."""


class Link:
    """One connection of the bot, when it came, and whether it has said goodbye."""

    def __init__(self, socket: ServerConnection, frames: deque[str], came_at: float) -> None:
        self.socket = socket
        self.came_at = came_at
        self.has_left = False
        self._frames = frames
        self._session = Session(Role.SERVER)

    async def say(self, message: wire.Message, extra: Mapping[str, object] | None = None) -> None:
        """Send a message, with members that a later version might add."""
        self._session.send(message)
        frame = codec.encode(message).decode()
        if extra:
            frame = frame[:-1] + "," + codec.to_json(extra).decode()[1:]
        await self.say_raw(frame)

    async def say_raw(self, frame: str) -> None:
        self._frames.append(f"S: {short(frame)}")
        try:
            await self.socket.send(frame)
        except ConnectionClosed as closed:
            raise GoneError(str(closed)) from None

    async def hear(self, within_s: float) -> wire.ClientMessage:
        try:
            async with asyncio.timeout(within_s):
                frame = await self.socket.recv()
        except ConnectionClosed as closed:
            raise GoneError(str(closed)) from None
        if isinstance(frame, bytes):
            self._frames.append(f"C: {quantity(len(frame), 'byte')}")
            raise FailureError("a text frame", "a binary frame", "Each message is one text frame")
        self._frames.append(f"C: {short(frame)}")
        return self._judged(frame)

    def _judged(self, frame: str) -> wire.ClientMessage:
        try:
            message = codec.decode_client(frame)
        except codec.DecodeError as error:
            raise failure_of(frame, error) from None
        try:
            self._session.receive(message)
        except RemoteProtocolError as error:
            if isinstance(message, wire.Move | wire.Resign):
                raise FailureError(
                    "the id of a game that was started on this connection",
                    short(frame),
                    "no such game was started on this connection",
                ) from None
            raise FailureError(
                "a message that the state of the connection and of its game allows",
                f"{short(frame)}: {error}",
                "what an end may send depends on what it has received itself",
            ) from None
        self.has_left = isinstance(message, wire.Goodbye)
        return message

    async def ping(self, within_s: float) -> None:
        self._frames.append("S: a ping frame")
        try:
            async with asyncio.timeout(within_s):
                await (await self.socket.ping())
        except ConnectionClosed as closed:
            raise GoneError(str(closed)) from None

    async def drop(self) -> None:
        """Drop the connection without a word, as a broken network does."""
        self._frames.append("the connection is dropped")
        self.socket.transport.abort()
        await self.socket.wait_closed()

    async def close(self, code: int = 1000) -> None:
        self._frames.append(f"S: closes with code {code}")
        await self.socket.close(code)
