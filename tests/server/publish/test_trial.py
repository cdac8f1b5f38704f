"""A broker is tried as a server uses it."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import pytest
from paho.mqtt.client import Client

from mancala.server.publish import trial
from mancala.server.publish.address import Address
from mancala.server.publish.trial import not_read_back
from tests.drills.ports import HOST

CONNECT: Final = 1
PUBLISH: Final = 3
IN_ORDER: Final = {CONNECT: b"\x20\3\0\0\0"}
"""Answers of MQTT 5, by the type of the packet."""
LEVEL: Final = 6
"""The place of the protocol's level in the body of a packet that connects: 4 is MQTT 3.1.1."""
CLOSED: Final = "the broker closed the connection"
NO_MQTT: Final = "the broker sent what is no MQTT"
REFUSED: Final = "the broker refuses the connection"
RESULT: Final = "mancala/club/games/doctor/result"


@asynccontextmanager
async def broker_that_says(answers: dict[int, bytes]) -> AsyncIterator[tuple[Address, list[bytes]]]:
    """Run a broker that ends a connection at a packet that it has no answer to.

    After an empty answer it stays silent.

    Yields:
        Its address, and the bodies of the packets that it gets.
    """
    bodies = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer: bytes | None = b""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while answer is not None:
                kind, length = await reader.readexactly(2)
                bodies.append(await reader.readexactly(length))
                answer = answers.get(kind >> 4)
                writer.write(answer or b"")
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.create_task(serve(reader, writer))

    async with asyncio.TaskGroup() as tasks, await asyncio.start_server(begin, HOST, 0) as broker:
        port = broker.sockets[0].getsockname()[1]
        yield Address(HOST, port, tls=False, user=None, password=None, client_id="arena"), bodies


async def test_each_version_is_tried_by_the_client_id_of_the_settings() -> None:
    """A broker of MQTT 5 alone was called bad, and one whose rights go by the client id."""
    async with broker_that_says({}) as (address, bodies):
        with pytest.raises(OSError, match=f"{CLOSED} before it answered CONNECT; are scheme and "):
            await not_read_back(address, ["games"])
    assert [body[LEVEL] for body in bodies] == [5, 4]
    assert all(body.endswith(b"\0\5arena") for body in bodies)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (
            {CONNECT: b"\x20\3\0\x87\0"},
            f"{REFUSED}: not authorized; are mqtt.user and mqtt.password right?",
        ),
        (
            {CONNECT: b"\x20\3\0\x84\0"},
            f"{NO_MQTT} before it answered CONNECT; are scheme and port of mqtt.url right?",
        ),
        (IN_ORDER, f"{CLOSED} before it answered PUBLISH"),
        (
            IN_ORDER | {PUBLISH: b"\xe0\2\x95\0"},
            "the broker ended the connection (packet too large) before it answered PUBLISH",
        ),
        (
            IN_ORDER | {PUBLISH: b"\xf0\xff\xff\xff\xff\xff"},
            f"{NO_MQTT} before it answered PUBLISH",
        ),
        (
            IN_ORDER | {PUBLISH: b"\x30\xff\xff\x7f"},
            "the broker announced a packet of 2097151 bytes before it answered PUBLISH",
        ),
        (
            {CONNECT: b"\x20\3\0\0\0\xe0\2\x8e\0"},
            "the broker ended the connection (session taken over) while it owed no answer",
        ),
        (IN_ORDER | {PUBLISH: b""}, "no answer from the broker in 1 s"),
    ],
    ids=[
        "login",
        "version",
        "publish",
        "announced",
        "no-mqtt",
        "huge",
        "taken-over",
        "silent",
    ],
)
async def test_how_a_connection_ended_is_a_sentence(
    answers: dict[int, bytes],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Operators read "Unspecified error", "Operation timed out" and numbers of the library's."""
    monkeypatch.setattr(trial, "PATIENCE_S", 1.0)
    async with broker_that_says(answers) as (address, _):
        with pytest.raises(OSError) as error:  # noqa: PT011  # the whole sentence is compared below
            await not_read_back(address, [RESULT])
    assert (str(error.value), caplog.messages) == (said, [])


@pytest.mark.parametrize(
    ("published", "found"), [(0x87, [f"{RESULT} (not authorized (0x87))"]), (0, [])]
)
async def test_a_broker_of_mqtt_5_says_itself_what_it_refuses(
    published: int, found: list[str]
) -> None:
    """One was called bad for a user that may write, and needs no right to read."""
    answers = IN_ORDER | {PUBLISH: bytes([0x40, 3, 0, 1, published])}
    async with broker_that_says(answers) as (address, _):
        assert await not_read_back(address, [RESULT]) == found


async def test_an_error_of_tls_amid_a_session_does_not_mean_that_none_is_spoken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The operator was asked whether mqtt.url begins with mqtt://."""
    receive = Client._sock_recv

    def broken(client: Client, size: int) -> bytes:
        if client.is_connected():
            raise ssl.SSLError(1, "bad record mac")
        return receive(client, size)

    monkeypatch.setattr(Client, "_sock_recv", broken)
    async with broker_that_says(IN_ORDER) as (address, _):
        with pytest.raises(OSError, match=f"^{CLOSED} before it answered PUBLISH$"):
            await not_read_back(address, [RESULT])
