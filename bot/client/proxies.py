"""The proxy that the environment names for an address, and why a connection failed at it."""

from __future__ import annotations

import socket  # noqa: TID251  # for the type of an error
from contextlib import suppress
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from websockets.exceptions import InvalidProxy, InvalidProxyMessage, InvalidProxyStatus, InvalidURI
from websockets.proxy import Proxy, get_proxy, parse_proxy
from websockets.uri import parse_uri

if TYPE_CHECKING:
    import httpx

WANTS_USER: Final = 407
SOCKS: Final = "pip install python-socks, or name the server's host in no_proxy"


def is_local(url: str) -> bool:
    """Return whether an address is localhost or a loopback address, where no proxy leads.

    Raises:
        ValueError: when the address is malformed.
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    with suppress(ValueError):
        address = ip_address(host)
        address = getattr(address, "ipv4_mapped", None) or address
        return address.is_loopback or address.is_unspecified
    return host == "localhost"


def own_transport(url: str) -> httpx.AsyncHTTPTransport | None:
    """Return what httpx reaches a local address by, past any proxy; None for other addresses."""
    import httpx  # noqa: PLC0415  # only those who ask by HTTP load it

    return httpx.AsyncHTTPTransport() if is_local(url) else None


def proxy_of(url: str) -> Proxy | None:
    """Return the proxy through which a websocket's address is reached; None without one.

    Raises:
        InvalidProxy: when what the environment names is none.
        InvalidURI: when the address is malformed.
    """
    try:
        place = parse_uri(url)
    except ValueError as error:
        raise InvalidURI(url, str(error)) from None
    named = None if is_local(url) else get_proxy(place)
    try:
        return None if named is None else parse_proxy(named)
    except ValueError as error:
        raise InvalidProxy(named or "", str(error)) from None


def fault_of(proxy: Proxy | None) -> str:
    """Return what a proxy needs that is not installed; empty where nothing is missing."""
    if proxy is None or not proxy.scheme.startswith("socks") or find_spec("python_socks"):
        return ""
    return f"the environment names a SOCKS proxy for it: {SOCKS}"


def reason_at_proxy(error: Exception, url: str) -> str:
    """Return why a connection failed if it did so at a proxy; else nothing."""
    proxy = None
    with suppress(InvalidProxy, InvalidURI):
        proxy = proxy_of(url)
    if isinstance(error, InvalidProxy):  # its own text has the password
        return "the environment names a proxy that is none; it is written http://HOST:PORT"
    if proxy is None:
        return ""
    match error:
        case ConnectionRefusedError() | socket.gaierror():
            reason = "that the environment names cannot be reached"
        case InvalidProxyStatus(response=response) if response.status_code == WANTS_USER:
            reason = "wants a user: the environment names it as http://USER:PASSWORD@HOST:PORT"
        case InvalidProxyStatus(response=response):
            reason = f"answered HTTP {response.status_code}: it does not connect to there"
        case InvalidProxyMessage():
            reason = "closed the connection, or is no proxy"
        case _:
            return ""
    return f"the proxy {proxy.host}:{proxy.port} {reason}"
