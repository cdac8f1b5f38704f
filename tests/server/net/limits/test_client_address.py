"""The client behind a proxy: whom trusted ones name, and that no other is believed."""

import struct
from contextlib import suppress
from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.server.net.limits.client_address import (
    LONGEST_CHAIN,
    LONGEST_HEADER,
    LONGEST_V1,
    NO_HEADER,
    V1,
    V2,
    MalformedProxyHeaderError,
    Networks,
    ProxyHeader,
    UnclearClientError,
    forwarded_client,
    normalised,
    read_proxy_header,
)

PROXIES = Networks(["10.0.0.0/8", "fd00::/8"])
IPV4 = st.ip_addresses(v=4).map(str)
IPV6 = st.ip_addresses(v=6).map(str)
ANY = IPV4 | IPV6
STRANGERS = ANY.filter(lambda address: address not in PROXIES)
OURS = st.integers(1, 2**24 - 1).map(lambda host: str(IPv4Address((10 << 24) + host)))
PORTS = st.integers(0, 65_535)


def v2(command: int, family: int, addresses: bytes) -> bytes:
    return V2 + struct.pack("!BBH", 0x20 | command, family, len(addresses)) + addresses


@given(source=IPV4, target=IPV4, ports=st.tuples(PORTS, PORTS), rest=st.binary(max_size=40))
def test_version_1_names_the_client(
    source: str, target: str, ports: tuple[int, int], rest: bytes
) -> None:
    """Whatever follows its line; and every part of it is the begin of one."""
    head = f"PROXY TCP4 {source} {target} {ports[0]} {ports[1]}\r\n".encode()
    assert read_proxy_header(head + rest) == ProxyHeader(len(head), source)
    assert all(read_proxy_header(head[:cut]) is None for cut in range(1, len(head)))


@given(source=IPV6, target=IPV6, rest=st.binary(max_size=40), tlvs=st.binary(max_size=60))
def test_version_2_names_the_client(source: str, target: str, rest: bytes, tlvs: bytes) -> None:
    """Whatever follows its addresses, inside the header and behind it."""
    packed = ip_address(source).packed + ip_address(target).packed + struct.pack("!HH", 1, 2)
    head = v2(1, 0x21, packed + tlvs)
    assert read_proxy_header(head + rest) == ProxyHeader(len(head), normalised(source))
    assert all(read_proxy_header(head[:cut]) is None for cut in range(1, len(head)))


@pytest.mark.parametrize(
    "head",
    [b"PROXY UNKNOWN\r\n", b"PROXY UNKNOWN ff ff 1 2\r\n", v2(0, 0, b""), v2(1, 0x31, b"\0" * 216)],
)
def test_a_proxy_may_name_no_client(head: bytes) -> None:
    """As for its own health checks, and for families other than TCP."""
    assert read_proxy_header(head) == ProxyHeader(len(head), None)


@pytest.mark.parametrize(
    "head",
    [
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 65536\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 -1\r\n",
        b"PROXY TCP4 2001:db8::1 192.0.2.2 1 2\r\n",
        b"PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n",
        b"PROXY TCP5 192.0.2.1 192.0.2.2 1 2\r\n",
        b"PROXY  TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n",
        V1 + b"x" * LONGEST_V1,
        V2 + b"\x11\x11\0\x0c" + bytes(12),
        V2 + b"\x22\x11\0\x0c" + bytes(12),
        v2(1, 0x11, bytes(11)),
        v2(1, 0x21, bytes(12)),
        V2 + struct.pack("!BBH", 0x21, 0x11, LONGEST_HEADER),
    ],
)
def test_what_begins_like_a_header_and_is_none_is_malformed(head: bytes) -> None:
    """The connection is closed then."""
    with pytest.raises(MalformedProxyHeaderError):
        read_proxy_header(head)


@given(head=st.binary(max_size=LONGEST_V1))
def test_any_bytes_are_a_header_or_none_or_malformed(head: bytes) -> None:
    """Never another error; a header is never longer than what was read."""
    try:
        found = read_proxy_header(head)
    except MalformedProxyHeaderError:
        assert head.startswith((V1, V2))
    else:
        assert found is None or found.size <= len(head)


@pytest.mark.parametrize("head", [b"GET / HTTP/1.1\r\n", b"\x16\x03\x01", b"1 pong\r\n", b"PUT /"])
def test_other_first_bytes_are_no_header(head: bytes) -> None:
    """HTTP, TLS and a client of the Kalah Game Protocol."""
    assert read_proxy_header(head) is NO_HEADER


@given(peer=STRANGERS, claimed=ANY)
def test_headers_of_strangers_are_ignored(peer: str, claimed: str) -> None:
    """Anybody can write them."""
    for headers in ([("X-Forwarded-For", claimed)], [("Forwarded", f'for="[{claimed}]"')]):
        assert forwarded_client(peer, headers, PROXIES.__contains__) == peer


@given(proxies=st.lists(OURS, min_size=1, max_size=4), client=STRANGERS, spoofed=st.lists(ANY))
def test_the_last_address_that_is_no_proxys_is_the_client(
    proxies: list[str], client: str, spoofed: list[str]
) -> None:
    """What it claims itself stands before it, and does not count."""
    chain = [*spoofed, client, *proxies[1:]]
    listed = [("X-Forwarded-For", ", ".join(chain))]
    lines = [("x-forwarded-for", address) for address in chain]
    elements = ", ".join(f'for="[{each}]:80";proto=https' for each in chain)
    for headers in (listed, lines, [("Forwarded", elements)], [*listed, ("Forwarded", elements)]):
        found = forwarded_client(proxies[0], headers, PROXIES.__contains__)
        assert found == normalised(client)


@given(proxy=OURS, names=st.text(alphabet='for=";,[]\\ 0.1:a', max_size=40))
def test_any_text_in_the_headers_gives_an_address(proxy: str, names: str) -> None:
    """The proxy's if there is none; a malformed one is refused, and never another error."""
    for header in ("Forwarded", "X-Forwarded-For"):
        with suppress(UnclearClientError):
            ip_address(forwarded_client(proxy, [(header, names)], PROXIES.__contains__))


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Forwarded", "for=192.0.2.60;proto=http;by=203.0.113.43"),
        ("Forwarded", "For=192.0.2.60"),
        ("Forwarded", 'host="a,b";for=192.0.2.60'),
        ("Forwarded", 'for=198.51.100.1, for="192.0.2.60:4711"'),
        ("X-Forwarded-For", "192.0.2.60"),
        ("X-Forwarded-For", "::ffff:192.0.2.60"),
        ("X-Forwarded-For", "192.0.2.60:4711,10.1.2.3"),
    ],
)
def test_the_forms_in_use_are_understood(header: str, value: str) -> None:
    """Of RFC 7239 and of proxies."""
    assert forwarded_client("10.0.0.1", [(header, value)], PROXIES.__contains__) == "192.0.2.60"


@pytest.mark.parametrize("value", ["for=unknown", "for=_hidden", 'for="_x:1"', "by=10.0.0.2", ""])
def test_a_client_that_is_hidden_counts_as_the_proxy(value: str) -> None:
    """It is not named."""
    found = forwarded_client("10.0.0.1", [("Forwarded", value)], PROXIES.__contains__)
    assert found == "10.0.0.1"


def test_headers_that_disagree_are_refused() -> None:
    """A proxy writes one of them, and may pass the other on from its client."""
    headers = [("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.2")]
    with pytest.raises(UnclearClientError):
        forwarded_client("10.0.0.1", headers, PROXIES.__contains__)


OPEN_QUOTES = ('for=192.0.2.66;y="', 'for="', 'for="192.0.2.66\\', 'for=192.0.2.66, y="\\"')


@pytest.mark.parametrize("begun", OPEN_QUOTES)
@pytest.mark.parametrize("added", ['for="[2001:db8::1]:4711"', 'for=192.0.2.1;host="a:1"'])
@pytest.mark.parametrize("is_one_line", [True, False])
def test_a_client_takes_in_nothing_that_its_proxy_adds(
    begun: str, added: str, *, is_one_line: bool
) -> None:
    """With a quote left open, it would name itself, or pass for the proxy."""
    lines = [f"{begun}, {added}"] if is_one_line else [begun, added]
    with pytest.raises(UnclearClientError):
        forwarded_client("10.0.0.1", [("Forwarded", each) for each in lines], PROXIES.__contains__)


@pytest.mark.parametrize(
    "value", ['for="192.0.2.1"x', "for=192.0.2.1;for=192.0.2.2", "for", "=", "for 192.0.2.1", '"']
)
def test_a_malformed_header_is_refused(value: str) -> None:
    """What it would mean is a guess."""
    with pytest.raises(UnclearClientError):
        forwarded_client("10.0.0.1", [("Forwarded", value)], PROXIES.__contains__)


@pytest.mark.parametrize("header", ["Forwarded", "X-Forwarded-For"])
def test_a_chain_of_any_length_is_read_in_little_time(header: str) -> None:
    """One that is longer than any real one is refused, on one line or on many."""
    hops = ["for=10.0.0.2" if header == "Forwarded" else "10.0.0.2"] * LONGEST_CHAIN
    for headers in ([(header, ",".join(hops))], [(header, hop) for hop in hops]):
        with pytest.raises(UnclearClientError, match="more than 4096 characters"):
            forwarded_client("10.0.0.1", headers, PROXIES.__contains__)


def test_an_address_has_one_form() -> None:
    """IPv4 in IPv6 is IPv4, zones are dropped, and other texts stay."""
    assert normalised("::ffff:192.0.2.1") == "192.0.2.1"
    assert normalised("2001:DB8:0::1%eth0") == "2001:db8::1"
    assert normalised("a socket") == "a socket"
    assert "::ffff:10.1.2.3" in PROXIES
    assert "a socket" not in PROXIES
