"""The stated bound on false hits of the transposition table."""

from __future__ import annotations

from mancala.engine.campaign.collisions import expected_collisions
from mancala.protocol.rules import Rules


def test_the_bound_grows_with_the_nodes_and_stays_small() -> None:
    """Even a hundred thousand million nodes expect far less than one false hit."""
    assert expected_collisions(Rules(), 0) == 0
    few, many = (expected_collisions(Rules(), nodes) for nodes in (10**9, 10**11))
    assert 0 < few < many < 1e-4
