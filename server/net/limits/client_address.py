"""Whose connection it is, when a trusted proxy forwards it.

A proxy says so in one of three ways: by the PROXY protocol, whose header comes before all other
bytes (versions 1 and 2, https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt), by
``Forwarded`` (RFC 7239) or by ``X-Forwarded-For``. Each proxy on the way adds the address that it
sees. So a chain is read from its end, as far as each address is that of a trusted proxy: what
stands before the first other address, that one may have made up.

A proxy writes one of the two HTTP headers and may pass the other on as its client sent it. A
request in which they disagree is refused. So is one whose ``Forwarded`` breaks the grammar: a quote
that a client leaves open would take in what the proxy adds, and the client would name itself. A
chain of more than ``LONGEST_CHAIN`` is refused as well, since reading it holds up the games.
"""

import re
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, NamedTuple

ADDRESSES: Final = 4096
"""Addresses whose networks are remembered."""
LONGEST_HEADER: Final = 2048
"""The most bytes of a PROXY header; one of version 2 may carry a certificate's names."""
V1: Final = b"PROXY "
LONGEST_V1: Final = 107
V2: Final = b"\r\n\r\n\0\r\nQUIT\n"
V2_HEAD: Final = struct.Struct("!12sBBH")
VERSION_2: Final = 2
LOCAL, PROXY = 0, 1
TCP4, TCP6 = 0x11, 0x21
FORWARDED: Final = "forwarded"
X_FORWARDED_FOR: Final = "x-forwarded-for"
LONGEST_CHAIN: Final = 4096
"""The most characters of ``Forwarded`` or ``X-Forwarded-For``: some hundred proxies."""
PARAMETER: Final = re.compile(
    r"""\s*(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s",;]*))"""
)
"""One of a proxy's parameters; colons may stand without quotes, as some proxies write them."""
SEPARATOR: Final = re.compile(r"\s*([,;]|\Z)")
WITH_PORT: Final = re.compile(r"\[([^\]]*)\](?::\w+)?|([0-9.]+)(?::\w+)?")

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Trusts = Callable[[str], bool]
"""Returns whether an address is that of a trusted proxy."""


class MalformedProxyHeaderError(ValueError):
    """A trusted proxy began a PROXY header and did not keep to the protocol."""


class UnclearClientError(ValueError):
    """The headers of a trusted proxy name two clients, or can't be read."""


class ProxyHeader(NamedTuple):
    """What stands before the bytes of a connection; 0 bytes where there is none, as most often."""

    size: int
    client: str | None


NO_HEADER: Final = ProxyHeader(0, None)


class Networks:
    def __init__(self, networks: Iterable[str] = ()) -> None:
        """Read the networks; raises `ValueError` where one is none."""
        self._networks: tuple[Network, ...] = tuple(map(ip_network, networks))
        self._is_inside = lru_cache(ADDRESSES)(self._look_up)

    def __contains__(self, address: str) -> bool:
        """Return whether an address is in one of the networks; no other text is."""
        return bool(self._networks) and self._is_inside(address)

    def _look_up(self, address: str) -> bool:
        place = parsed(address)
        return place is not None and any(place in network for network in self._networks)


def parsed(address: str) -> Address | None:
    """Return an address without its zone; of one that maps IPv4 to IPv6, that of IPv4."""
    try:
        place = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    mapped = place.ipv4_mapped if isinstance(place, IPv6Address) else None
    return place if mapped is None else mapped


def normalised(address: str) -> str:
    """Return an address in its one form, or another text as it is."""
    place = parsed(address)
    return address if place is None else str(place)


def read_proxy_header(head: bytes) -> ProxyHeader | None:
    """Return the header that a connection begins with; None if ``head`` holds only a part of it."""
    if head.startswith(V1):
        return _read_v1(head)
    if head.startswith(V2):
        return _read_v2(head)
    return None if V1.startswith(head) or V2.startswith(head) else NO_HEADER


def _read_v1(head: bytes) -> ProxyHeader | None:
    line, end, _ = head[:LONGEST_V1].partition(b"\r\n")
    if not end:
        if len(head) >= LONGEST_V1 or b"\n" in line:
            raise MalformedProxyHeaderError("a PROXY line without an end")
        return None
    size = len(line) + len(end)
    match line.decode("latin-1").split(" "):
        case ["PROXY", "UNKNOWN", *_]:
            return ProxyHeader(size, None)
        case ["PROXY", "TCP4" | "TCP6" as family, source, target, source_port, target_port]:
            _check_ports(source_port, target_port)
            return ProxyHeader(size, _agreed(family, source, target))
    raise MalformedProxyHeaderError("no PROXY line")


def _check_ports(*ports: str) -> None:
    if not all(port.isascii() and port.isdigit() and int(port) < 1 << 16 for port in ports):
        raise MalformedProxyHeaderError("a PROXY line with a wrong port")


def _agreed(family: str, source: str, target: str) -> str:
    """Return the source, if both addresses are of the family."""
    kind = IPv4Address if family == "TCP4" else IPv6Address
    try:
        kind(target)
        return normalised(str(kind(source)))
    except ValueError as error:
        raise MalformedProxyHeaderError("a PROXY line with a wrong address") from error


def _read_v2(head: bytes) -> ProxyHeader | None:
    if len(head) < V2_HEAD.size:
        return None
    _, version, family, length = V2_HEAD.unpack_from(head)
    size = V2_HEAD.size + length
    if version >> 4 != VERSION_2 or version & 0xF > PROXY or size > LONGEST_HEADER:
        raise MalformedProxyHeaderError("no PROXY header of version 2")
    if len(head) < size:
        return None
    if version & 0xF == LOCAL:
        return ProxyHeader(size, None)
    return ProxyHeader(size, _source_of(family, head[V2_HEAD.size : size]))


def _source_of(family: int, addresses: bytes) -> str | None:
    """Return the source; None for families other than TCP over IP."""
    size = {TCP4: 4, TCP6: 16}.get(family)
    if size is None:
        return None
    if len(addresses) < 2 * (size + 2):
        raise MalformedProxyHeaderError("a PROXY header without its addresses")
    return normalised(str(ip_address(addresses[:size])))


def forwarded_client(peer: str, headers: Iterable[tuple[str, str]], trusts: Trusts) -> str:
    """Return the address of the client that a request which ``peer`` sent comes from.

    Raises:
        UnclearClientError: when the headers of a trusted proxy name two clients, are malformed or
            too long.
    """
    if not trusts(peer):
        return peer
    values: dict[str, list[str]] = {FORWARDED: [], X_FORWARDED_FOR: []}
    for name, value in headers:
        if (key := name.lower()) in values:
            values[key].append(value)
    for name, given in values.items():
        if sum(map(len, given)) > LONGEST_CHAIN:
            raise UnclearClientError(f"{name} holds more than {LONGEST_CHAIN} characters")
    chains = _forwarded(values[FORWARDED]), _listed(values[X_FORWARDED_FOR])
    clients = {_client(peer, chain, trusts) for chain in chains if chain}
    if len(clients) > 1:
        raise UnclearClientError("Forwarded and X-Forwarded-For name different clients")
    return clients.pop() if clients else peer


def _client(peer: str, chain: Sequence[str | None], trusts: Trusts) -> str:
    """Return the last address that is no proxy's, or the first proxy that says no more."""
    for named in reversed(chain):
        hop = None if named is None else _address(named)
        if hop is None or not trusts(peer):
            break
        peer = hop
    return peer


def _forwarded(lines: Iterable[str]) -> list[str | None]:
    """Return whom each element of ``Forwarded`` (RFC 7239, section 4) is for, if it says so."""
    return [element.get("for") for line in lines for element in _elements(line) if element]


def _elements(line: str) -> list[dict[str, str]]:
    """Return the parameters of each element of a line, by their names in lower case."""
    elements: list[dict[str, str]] = [{}]
    at, end = 0, len(line)
    while at < end:
        if (found := PARAMETER.match(line, at)) is not None:
            name = found["name"].lower()
            if name in elements[-1]:
                raise UnclearClientError(f"Forwarded has two values of {name} in one element")
            elements[-1][name] = found["bare"] if found["quoted"] is None else found["quoted"]
            at = found.end()
        if (separator := SEPARATOR.match(line, at)) is None:
            raise UnclearClientError("Forwarded is malformed")
        if separator[1] == ",":
            elements.append({})
        at = separator.end()
    return elements


def _listed(lines: Iterable[str]) -> list[str | None]:
    return [part.strip() for line in lines for part in line.split(",") if part.strip()]


def _address(text: str) -> str | None:
    """Return an address that may stand with a port; None for anything else."""
    with_port = WITH_PORT.fullmatch(text)
    address = text if with_port is None else with_port[1] or with_port[2] or ""
    place = parsed(address)
    return None if place is None else str(place)
