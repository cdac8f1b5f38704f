"""Half-open connections, the oldest first."""

from __future__ import annotations

from mancala.server.net.limits.half_open import HalfOpen


def test_the_oldest_is_closed_first() -> None:
    """One that has brought a request is no longer half-open."""
    closed: list[int] = []
    waiting = HalfOpen()
    for port in (1, 2, 3):
        waiting.add("a", port, lambda port=port: closed.append(port))  # type: ignore[misc]  # bound now
    waiting.discard("a", 1)
    assert waiting.close_oldest()
    assert closed == [2]
    assert len(waiting) == 1


def test_one_address_closes_none_of_another() -> None:
    """Its own limit is its own matter."""
    closed: list[str] = []
    waiting = HalfOpen()
    waiting.add("a", 1, lambda: closed.append("a"))
    waiting.add("b", 1, lambda: closed.append("b"))
    assert waiting.close_oldest("b")
    assert not waiting.close_oldest("b")
    assert closed == ["b"]


def test_another_way_to_close_does_not_make_a_connection_younger() -> None:
    """A handshake that has ended has waited for as long as it took."""
    closed: list[str] = []
    waiting = HalfOpen()
    waiting.add("a", 1, lambda: closed.append("handshake"))
    waiting.add("a", 2, lambda: closed.append("other"))
    waiting.add("a", 1, lambda: closed.append("request"))
    assert waiting.close_oldest()
    assert closed == ["request"]
