"""Connect to a server, and again after a failure: where to, when, and after which wait.

    ws+unix:///run/arena/bots    the unix socket /run/arena/bots

A unix socket has no host, so it needs no certificate and passes no proxy.
"""

import asyncio
import logging
import signal
import socket  # noqa: TID251  # for the options of one that is there
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from random import SystemRandom  # noqa: TID251  # for the default of the client's entry points
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from websockets.asyncio.client import ClientConnection, connect, unix_connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidMessage,
    InvalidProxyMessage,
    InvalidProxyStatus,
    InvalidStatus,
    WebSocketException,
)

from mancala.protocol.messages import ErrorCode

from .errors import ConnectionFailedError, RefusedError, WrongCallError, reason_of
from .proxies import fault_of, proxy_of

UNIX: Final = "ws+unix"
SCHEMES: Final = ("ws", "wss", UNIX)
CLOSE_TIMEOUT_S: Final = 2.0
NEXT_ADDRESS_S: Final = 0.25
"""How long an address of a host is tried alone (RFC 8305, section 8)."""
KEEPALIVE: Final = {
    **dict.fromkeys(("TCP_KEEPIDLE", "TCP_KEEPALIVE"), 5),  # macOS has another name
    "TCP_KEEPINTVL": 2,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 11_000,  # milliseconds, of what was sent, and of the probes (Linux)
}
"""Options by which the kernel gives up a host that is gone: 11 s after it was last heard, or after
something was sent meanwhile. Such a host acknowledges nothing, while that of a busy program does,
as long as it has room for what is sent; so pings have a longer patience."""
BUSY_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
PASSING_REFUSALS: Final = frozenset({ErrorCode.SHUTTING_DOWN, ErrorCode.TIMEOUT})
REFUSING_CLOSES: Final = frozenset({1002, 1003, 1007, 1008, 1009, 1010})


def problem_of_address(url: str) -> str | None:
    """Return why an address is no match server's; None if it may be one."""
    if url.partition(":")[0] in SCHEMES:
        return None
    return f"{url!r} is not the address of a match server; it begins with ws:// or wss://"


def expect_text(url: object) -> None:
    """Raise `WrongCallError` where something else stands in the place of an address."""
    if not isinstance(url, str):
        kind = type(url).__name__
        raise WrongCallError(f"the address comes first, as a text; this is a {kind}")


def expect_address(url: str) -> None:
    """Raise `WrongCallError` for what is no match server's address."""
    expect_text(url)
    if (problem := problem_of_address(url)) is not None:
        raise WrongCallError(problem)


def unix_url(path: str) -> str:
    return f"{UNIX}://{quote(path)}"


class _ProxiedConnection(ClientConnection):
    """A connection whose TLS may fail behind a proxy: then it is lost before it was made."""

    def connection_lost(self, exc: Exception | None) -> None:
        if hasattr(self, "transport"):
            super().connection_lost(exc)


class _Dialling(connect):
    """A connection whose host may have several addresses, and may be gone without a word."""

    async def open_tcp_connection(self) -> ClientConnection:
        if self.proxy is None and isinstance(asyncio.get_running_loop(), asyncio.BaseEventLoop):
            self.create_connection_kwargs["happy_eyeballs_delay"] = NEXT_ADDRESS_S
        connection = await super().open_tcp_connection()
        if (sock := connection.transport.get_extra_info("socket")) is not None:
            _keep_alive(sock)
        return connection


def _keep_alive(sock: socket.socket) -> None:
    names = [name for name in KEEPALIVE if hasattr(socket, name)]
    options = [(socket.IPPROTO_TCP, getattr(socket, name), KEEPALIVE[name]) for name in names]
    for option in (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *options:
        with suppress(OSError):  # the system has it not, or the connection is lost already
            sock.setsockopt(*option)


def dial(url: str, **options: Any) -> connect:  # noqa: ANN401  # as websockets has them
    """Return a connection that opens where it is entered or awaited; options are websockets'.

    Raises:
        ConnectionFailedError: when the environment names a proxy that needs another package.
        WebSocketException: when the address, or the proxy that is named, cannot be one.
    """
    options = {"compression": None, "close_timeout": CLOSE_TIMEOUT_S, **options}
    if url.startswith(f"{UNIX}:"):
        return unix_connect(unquote(urlsplit(url).path), "ws://localhost/", **options)
    proxy = proxy_of(url)
    if fault := fault_of(proxy):
        raise ConnectionFailedError(f"{url}: {fault}")
    options["proxy"] = None if proxy is None else True
    return _Dialling(url, create_connection=_ProxiedConnection, **options)


def backoff(
    uniform: Callable[[], float],
    *,
    first_s: float = 0.25,
    factor: float = 2.0,
    longest_s: float = 20.0,
) -> Iterator[float]:
    """Yield the seconds to wait before each attempt, without end.

    They double up to a bound; each is shortened at random by up to a half, so that the bots of a
    crashed server do not all come back at the same moment. ``uniform`` draws from [0, 1).
    """
    delay_s = first_s
    while True:
        yield delay_s * (1 - uniform() / 2)
        delay_s = min(delay_s * factor, longest_s)


Delays = Callable[[], Iterator[float]]
"""Returns the waits between attempts to connect, in seconds."""
DEFAULT_DELAYS: Final[Delays] = partial(backoff, SystemRandom().random)


def is_passing(error: Exception) -> bool:
    """Return whether the same attempt may succeed a little later.

    True for lost and refused connections and for the HTTP statuses of a busy server, or of a proxy
    that does not reach it. False for a bad certificate, an invalid address, and a close code that
    says that we broke the protocol.
    """
    match error:
        case ssl.SSLCertVerificationError():
            return False
        case RefusedError():
            return error.code in PASSING_REFUSALS
        case ConnectionClosed():
            return error.rcvd is None or error.rcvd.code not in REFUSING_CLOSES
        case InvalidStatus() | InvalidProxyStatus():
            return error.response.status_code in BUSY_STATUS
        case InvalidMessage() | InvalidProxyMessage():
            return isinstance(error.__cause__, EOFError)
        case _:
            return isinstance(error, OSError)


class Retries:
    """The attempts of one client to connect."""

    def __init__(self, url: str, delays: Delays, patience_s: float, logger: logging.Logger) -> None:
        self.was_welcome = False
        self._url = url
        self._new_delays = delays
        self._patience_s = patience_s
        self._logger = logger
        self._begin()

    def _begin(self) -> None:
        self._delays = self._new_delays()
        self._since = asyncio.get_running_loop().time()

    @property
    def disconnected_s(self) -> float:
        """The seconds since the last welcome connection ended, or since the first attempt."""
        return asyncio.get_running_loop().time() - self._since

    def note_end(self, *, was_welcome: bool) -> None:
        """Note that a connection has ended; after a welcome one the waits are short again."""
        if was_welcome:
            self.was_welcome = True
            self._begin()

    def wait_after(self, error: Exception, *, passes: bool) -> float:
        """Return the seconds to wait after an attempt that failed.

        Raises:
            ClientError: when a further attempt would not help, or none was ever welcome for
                ``patience_s``, in which case the address is most likely wrong.
        """
        why = reason_of(error, self._url)
        if not passes and not isinstance(error, WebSocketException | OSError):
            raise error
        is_early = not self.was_welcome and self.disconnected_s > self._patience_s
        if is_early or not passes:
            raise ConnectionFailedError(f"{self._url}: {why}") from error
        wait_s = next(self._delays)
        self._logger.warning("not connected: %s; trying again in %.1f s", why, wait_s)
        return wait_s


async def pause(wait_s: float, stop: asyncio.Event) -> None:
    """Wait, at most until ``stop`` is set; in full if it is set already."""
    if stop.is_set():
        await asyncio.sleep(wait_s)
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(wait_s):
            await stop.wait()


@contextmanager
def stopping(stop: asyncio.Event | None) -> Iterator[asyncio.Event]:
    """Yield the given event, or one that the first SIGTERM or SIGINT sets."""
    if stop is not None:
        yield stop
        return
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def on_signal() -> None:
        stop.set()
        restore()

    def restore() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    handled: list[int] = []
    with suppress(
        NotImplementedError, RuntimeError, ValueError
    ):  # not Unix, or not the main thread
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, on_signal)
            handled.append(number)
    try:
        yield stop
    finally:
        restore()
