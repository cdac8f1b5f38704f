"""HTTP on the game server's loop: bounded, and no owner of the process."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from mancala.server.config.settings import Tls
from mancala.server.net.limits import slow_requests
from mancala.server.net.limits.gate import HttpGate
from mancala.server.net.limits.slow_requests import PROMPT_READS
from mancala.server.net.listening import listening_socket
from mancala.server.net.tls import context_of
from mancala.server.web.http.http_server import REQUEST_S, BoundedProtocol, Ingress, serve_on
from mancala.server.web.http.middleware import ANSWER_S
from tests.patience import PATIENCE_S, WALK_S, until
from tests.server.fakes import limited
from tests.sources import ROOT

CERTIFICATES = ROOT / "tests" / "data" / "tls"
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def gate_of(connections: int, per_address: int, **limits: tuple[str, ...]) -> HttpGate:
    """Return a gate that exempts no network but those given."""
    counts = {"http_connections": connections, "http_connections_per_address": per_address}
    return HttpGate(limited(**counts, **{"exempt": (), **limits}))


OPEN = Ingress(gate_of(256, 256))


async def hello(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


@asynccontextmanager
async def served(app: ASGIApp, ingress: Ingress = OPEN, port: int = 0) -> AsyncIterator[str]:
    async with serve_on(await listening_socket("127.0.0.1", port), app, ingress) as serving:
        yield serving.url


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """A listener on a free port."""
    async with asyncio.timeout(WALK_S), served(hello) as url:
        yield url


async def connect(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", int(url.rsplit(":", 1)[1]))


async def hear_end(reader: asyncio.StreamReader) -> bytes:
    """Read until the other end hangs up, politely or not."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.read()
    except ConnectionResetError:
        return b""


async def test_signals_stay_with_the_owner_of_the_process() -> None:
    """While the web is open, SIGTERM and SIGINT are handled as before."""
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    async with served(hello) as url, httpx.AsyncClient(timeout=PATIENCE_S) as http:
        assert (await http.get(url)).text == "hello"
        during = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    assert during == before


async def test_a_port_that_is_taken_is_an_error_and_not_the_end_of_the_process() -> None:
    """The organiser gets the error, and nothing else is torn down."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            async with served(hello, port=port):
                pass


async def test_when_the_block_ends_the_port_is_closed() -> None:
    """The port is free again, and connections are closed."""
    async with served(hello) as url:
        reader, writer = await connect(url)
    assert await hear_end(reader) == b""
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await connect(url)


async def test_a_visitor_who_asks_nothing_is_sent_away() -> None:
    """A connection that only waits is closed, in its time."""
    async with served(hello, OPEN._replace(request_s=0.05)) as url:
        reader, writer = await connect(url)
        assert await hear_end(reader) == b""
        writer.close()


async def test_a_visitor_who_asks_slowly_is_sent_away() -> None:
    """A header a moment, as slowloris does it, holds no connection for ever."""
    async with served(hello, OPEN._replace(request_s=0.1)) as url:
        reader, writer = await connect(url)
        ended = asyncio.create_task(hear_end(reader))
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n")
        number = 0
        while not ended.done():
            number += 1
            writer.write(f"X-{number}: y\r\n".encode())
            await asyncio.wait([ended], timeout=0.01)
        assert await ended == b""
        writer.close()


async def send_in_pieces(writer: asyncio.StreamWriter, request: bytes) -> None:
    """Send one byte a packet, and give the server turns to read it."""
    for byte in request:
        writer.write(bytes([byte]))
        for _ in range(3):
            await asyncio.sleep(0)


async def test_a_request_in_many_pieces_is_not_read_piece_by_piece(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """One byte a packet, from many connections, once kept the process of the page busy."""
    monkeypatch.setattr(slow_requests, "REST_S", 3600.0)
    reads: list[int] = []
    receive = BoundedProtocol.data_received

    def note(self: BoundedProtocol, data: bytes) -> None:
        reads.append(len(data))
        receive(self, data)

    monkeypatch.setattr(BoundedProtocol, "data_received", note)
    _, writer = await connect(url)
    await send_in_pieces(writer, REQUEST)
    assert len(reads) <= PROMPT_READS + 1
    writer.close()


async def test_a_request_in_many_pieces_is_answered(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Rests delay it a little."""
    monkeypatch.setattr(slow_requests, "REST_S", 0.01)
    reader, writer = await connect(url)
    await send_in_pieces(writer, REQUEST)
    assert b"hello" in await hear_end(reader)
    writer.close()


async def test_a_visitor_who_does_ask_may_stay_and_ask_again() -> None:
    """Each answer begins the time anew."""
    patient = OPEN._replace(request_s=PATIENCE_S)
    async with served(hello, patient) as url, httpx.AsyncClient(timeout=PATIENCE_S) as http:
        assert [(await http.get(url)).text for _ in range(3)] == ["hello"] * 3


async def test_a_response_has_a_time_of_its_own(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Else one that waits after a connection was idle ends without a word of why."""
    assert ANSWER_S < REQUEST_S
    moved: list[float] = []
    receive = BoundedProtocol.data_received

    def note(self: BoundedProtocol, data: bytes) -> None:
        assert self._patience is not None
        before = self._patience.when()
        receive(self, data)
        moved.append(self._patience.when() - before)

    monkeypatch.setattr(BoundedProtocol, "data_received", note)
    reader, writer = await connect(url)
    writer.write(REQUEST[:5])
    await until(lambda: moved)
    writer.write(REQUEST[5:])
    assert b"hello" in await hear_end(reader)
    assert moved[0] == 0 < moved[1]
    writer.close()


async def whose(scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["client"][0].encode()})


@pytest.mark.parametrize(("trusted", "client"), [("127.0.0.0/8", "192.0.2.2"), ("", "127.0.0.1")])
async def test_each_request_of_a_trusted_proxy_has_a_client_of_its_own(
    trusted: str, client: str
) -> None:
    """Of others the headers are ignored."""
    gate = gate_of(2, 2, proxies=(trusted,) if trusted else ())
    async with served(whose, Ingress(gate)) as url, httpx.AsyncClient(timeout=PATIENCE_S) as http:
        forwarded = {"X-Forwarded-For": "192.0.2.1, 192.0.2.2"}
        assert (await http.get(url, headers=forwarded)).text == client
        assert (await http.get(url)).text == "127.0.0.1"


async def where(scope: Scope, _receive: Receive, send: Send) -> None:
    host = dict(scope["headers"])[b"host"].decode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": f"{host} {scope['path']}".encode()})


@pytest.mark.parametrize(("target", "path"), [("/a%20b?c=d", "/a b"), ("?c=d", "/"), ("", "/")])
async def test_a_target_may_name_its_host(target: str, path: str) -> None:
    """As to a proxy, which RFC 9112 (3.2.2) asks every server to take; its header is ignored."""
    async with served(where) as url:
        reader, writer = await connect(url)
        writer.write(REQUEST.replace(b"/ ", f"HTTP://arena.example{target} ".encode(), 1))
        assert f"\r\narena.example {path}\r\n".encode() in await hear_end(reader)
        writer.close()


async def test_a_request_with_two_clients_is_refused() -> None:
    """Which of the headers the proxy wrote can't be known."""
    gate = gate_of(2, 2, proxies=("127.0.0.0/8",))
    async with served(whose, Ingress(gate)) as url, httpx.AsyncClient(timeout=PATIENCE_S) as http:
        both = {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.2"}
        assert (await http.get(url, headers=both)).status_code == 400


@pytest.mark.parametrize("exempt", [(), ("127.0.0.0/8",)])
async def test_the_connection_that_is_silent_for_longest_yields(exempt: tuple[str, ...]) -> None:
    """Half-open requests once kept all others out for fifteen seconds, again and again."""
    narrow = Ingress(gate_of(2 if exempt else 9, 2, exempt=exempt))
    async with asyncio.timeout(PATIENCE_S), served(hello, narrow) as url:
        silent = [await connect(url) for _ in range(2)]
        async with httpx.AsyncClient(timeout=PATIENCE_S) as http:
            assert (await http.get(url)).text == "hello"
        assert await hear_end(silent[0][0]) == b""
        silent[1][1].write(REQUEST)
        assert b"hello" in await hear_end(silent[1][0])
    for _, writer in silent:
        writer.close()


async def test_one_connection_too_many_is_cut_off_while_all_are_answered() -> None:
    """Those whose request has arrived lose nothing."""
    may_answer, arrived = asyncio.Event(), asyncio.Semaphore(0)

    async def hesitate(scope: Scope, receive: Receive, send: Send) -> None:
        arrived.release()
        await may_answer.wait()
        await hello(scope, receive, send)

    narrow = Ingress(gate_of(2, 2))
    async with asyncio.timeout(PATIENCE_S), served(hesitate, narrow) as url:
        asking = [await connect(url) for _ in range(2)]
        for _, writer in asking:
            writer.write(REQUEST)
            await arrived.acquire()
        third, third_end = await connect(url)
        assert await hear_end(third) == b""
        may_answer.set()
        for reader, _ in asking:
            assert b"hello" in await hear_end(reader)
    for writer in (third_end, *(end for _, end in asking)):
        writer.close()


async def test_a_tls_handshake_that_does_not_end_yields() -> None:
    """It has no request either."""
    tls = context_of(Tls(cert=str(CERTIFICATES / "first.pem"), key=str(CERTIFICATES / "first.key")))
    narrow = Ingress(gate_of(1, 2), tls)
    async with asyncio.timeout(PATIENCE_S), served(hello, narrow) as url:
        reader, writer = await connect(url)
        async with httpx.AsyncClient(verify=False, timeout=PATIENCE_S) as http:  # noqa: S501  # our own
            assert (await http.get(url)).text == "hello"
        assert await hear_end(reader) == b""
        writer.close()


async def test_a_head_that_never_ends_is_refused(url: str) -> None:
    """Past 16 KiB of headers nothing more is read."""
    reader, writer = await connect(url)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * (64 * 1024))
    answer = await hear_end(reader)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")
    writer.close()


@pytest.mark.parametrize(
    ("version", "headers"),
    [
        (b"1.1", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        (b"1.1", b"transfer-encoding: chunked\r\ncontent-length: 5\r\n"),
        (b"1.0", b"Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n"),
    ],
)
async def test_a_request_of_two_lengths_is_the_last_of_its_connection(
    url: str, version: bytes, headers: bytes
) -> None:
    """What a proxy took for its body could be read as a request of another visitor."""
    reader, writer = await connect(url)
    writer.write(b"POST / HTTP/%b\r\nHost: x\r\n%b\r\n0\r\n\r\n%b" % (version, headers, REQUEST))
    answer = await hear_end(reader)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"Transfer-Encoding" in answer
    assert answer.count(b"HTTP/1.1") == 1
    writer.close()


@pytest.mark.parametrize(("body", "answers"), [(b"hello", 1), (b"", 2)])
async def test_a_request_with_a_body_is_the_last_of_its_connection(
    url: str, body: bytes, answers: int
) -> None:
    """Chunks of a byte kept the process busy for as long as a peer liked; an empty body may."""
    reader, writer = await connect(url)
    writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body))
    writer.write(body + REQUEST)
    answer = await hear_end(reader)
    assert answer.count(b"HTTP/1.1") == answers
    assert body == b"" or b"connection: close" in answer.lower()
    writer.close()


async def test_a_chunked_request_alone_is_answered(url: str) -> None:
    """Only both headers together are unclear."""
    reader, writer = await connect(url)
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    writer.write(head + b"0\r\n\r\n")
    assert b"hello" in await hear_end(reader)
    writer.close()


async def test_a_websocket_is_not_spoken_here(url: str) -> None:
    """An upgrade is answered as the plain request it is."""
    reader, writer = await connect(url)
    writer.write(
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    async with asyncio.timeout(PATIENCE_S):
        head = await reader.readuntil(b"\r\n")
    assert head == b"HTTP/1.1 200 OK\r\n"
    writer.close()
