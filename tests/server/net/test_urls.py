"""The URLs of a server's ports."""

from __future__ import annotations

import pytest

from mancala.server.net.urls import url_of


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
