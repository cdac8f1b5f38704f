"""Ports that a server may open a little later."""

import socket
from pathlib import Path

import pytest

from tests.drills import ports
from tests.drills.ports import HOST, free_port

USED_BY_CONNECTIONS = Path("/proc/sys/net/ipv4/ip_local_port_range")


def test_a_free_port_can_be_opened_and_no_connection_takes_it() -> None:
    """A connection of another test once took the port between the choice and the server's start."""
    first, last = map(int, USED_BY_CONNECTIONS.read_text().split())
    given = [free_port() for _ in range(500)]
    assert len(set(given)) == len(given)
    for port in given[:50]:
        assert not first <= port <= last
        with socket.socket() as listener:
            listener.bind((HOST, port))


def test_a_port_in_use_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What listens already keeps its port to itself."""
    other, taken = free_port(), free_port()
    monkeypatch.setattr(ports, "_UNUSED", [other, taken])
    with socket.socket() as listener:
        listener.bind((HOST, taken))
        assert free_port() == other
