"""Names under which the server answers, and URLs."""

import pytest

from mancala.server.config.settings import Config
from mancala.server.net.hosts import Hosts, url_of

OWN = Hosts.of(
    Config(
        hosts=("Arena.example.net",),
        public_url="wss://play.example.org/play",
        origins=("https://club.example.org",),
    )
)


@pytest.mark.parametrize(
    "host",
    [
        *("", "127.0.0.1:8080", "[::1]:8080", "192.168.1.7", "localhost:8080", "x.localhost"),
        *("arena.example.net", "ARENA.EXAMPLE.NET.:80", "play.example.org", "club.example.org"),
        "arena:8080",
    ],
)
def test_own_names_addresses_and_names_without_a_dot_are_allowed(host: str) -> None:
    """None of them can be a name that a stranger has had lead here."""
    assert OWN.allow(host)


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "[::1", "1.2.3.4.5"]
)
def test_other_names_are_refused(host: str) -> None:
    """A page of theirs could otherwise read answers from here."""
    assert not OWN.allow(host)


def test_an_organiser_may_allow_all() -> None:
    """For a server that is public anyway, under names that change."""
    assert Hosts(("*",)).allow("evil.example")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "ws://127.0.0.1:8765"),
        ("localhost", "ws://localhost:8765"),
        ("::1", "ws://[::1]:8765"),
    ],
)
def test_an_ipv6_address_stands_in_brackets(host: str, url: str) -> None:
    """Its colons are not taken for the one before the port."""
    assert url_of("ws", host, 8765) == url
