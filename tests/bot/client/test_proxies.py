"""Connections through a proxy that the environment names."""

import asyncio
from collections.abc import Callable

import pytest

from mancala.bot.client.errors import ConnectionFailedError
from mancala.bot.client.proxies import proxy_of
from mancala.bot.client.reconnect import dial
from mancala.bot.client.requests import list_ladders
from tests.drills.ports import free_port

SERVER = "wss://arena.example.org/bots"


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    return lambda proxy: monkeypatch.setenv("https_proxy", proxy)


async def test_a_proxy_that_is_away_is_named(named: Callable[[str], None]) -> None:
    """The server may be there: 'mancala serve' would not help. The password is left out."""
    place = f"127.0.0.1:{free_port()}"
    named(f"http://ann:secret@{place}")
    with pytest.raises(ConnectionFailedError, match=f"the proxy {place} .*cannot be") as error:
        await list_ladders(SERVER, name="eve")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 407 No\r\n\r\n", "wants a user"),
        (b"HTTP/1.1 403 No\r\n\r\n", "answered HTTP 403"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "is no proxy"),
        (b"HTTP/1.1 200 Good\r\n\r\nno TLS\r\n\r\n", "speaks no TLS"),
    ],
)
async def test_what_a_proxy_answers_is_one_sentence(
    named: Callable[[str], None], answer: bytes, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Without the traceback that websockets 17 leaves in the log where TLS fails behind it."""

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as proxy:
        named(f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        with pytest.raises(ConnectionFailedError, match=reason):
            await list_ladders(SERVER, name="eve")
    assert caplog.records == []


async def test_a_socks_proxy_is_one_sentence(named: Callable[[str], None]) -> None:
    """It ended in a traceback: websockets needs another package for it."""
    named("socks5://127.0.0.1:1")
    with pytest.raises(ConnectionFailedError, match=r"SOCKS proxy.*pip install python-socks"):
        await list_ladders(SERVER, name="eve")


@pytest.mark.parametrize(
    ("server", "proxy", "reason"),
    [
        (SERVER, "http://ann:secret@127.0.0.1:notaport", "a proxy that is none"),
        ("wss://[::1", "http://127.0.0.1:1", "isn't a valid URI"),
        ("ws://localhost:notaport", "http://127.0.0.1:1", "isn't a valid URI"),
    ],
)
async def test_what_cannot_be_an_address_is_one_sentence(
    named: Callable[[str], None], server: str, proxy: str, reason: str
) -> None:
    """They ended in tracebacks."""
    named(proxy)
    with pytest.raises(ConnectionFailedError, match=reason) as error:
        await list_ladders(server, name="eve")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost.", "[::1]:8765", "0.0.0.0:8765", "[::ffff:127.0.0.1]"]
)
def test_no_proxy_leads_to_this_machine(named: Callable[[str], None], host: str) -> None:
    """A pupil's own server was looked for on the school's proxy."""
    named("http://192.0.2.1:3128")
    assert dial(f"wss://{host}/bots").proxy is None
    found = proxy_of(SERVER)
    assert (found and found.host, dial(SERVER).proxy) == ("192.0.2.1", True)
