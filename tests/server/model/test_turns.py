"""Turns of those who wait behind one key."""

from __future__ import annotations

from mancala.server.model.turns import Turns


def test_turns_of_one_key_follow_one_another() -> None:
    """At a distance; another key has turns of its own."""
    turns = Turns(apart_s=2.0, longest_s=60.0)
    assert [turns.turn("school", name, 10.0) for name in ("ann", "bob", "cy")] == [10.0, 12.0, 14.0]
    assert turns.turn("club", "dan", 10.0) == 10.0


def test_a_name_keeps_its_turn_until_it_is_gone() -> None:
    """Asking again does not push it back."""
    turns = Turns(apart_s=2.0, longest_s=60.0)
    for name in ("ann", "bob"):
        turns.turn("school", name, 10.0)
    assert turns.turn("school", "bob", 11.0) == 12.0
    turns.release("bob")
    assert turns.turn("school", "bob", 11.0) == 14.0


def test_no_wait_is_longer_than_stated() -> None:
    """However many wait; a stranger who takes a thousand turns keeps others waiting no longer."""
    turns = Turns(apart_s=2.0, longest_s=60.0)
    for number in range(1000):
        turns.turn("school", f"sybil{number}", 10.0)
    assert turns.turn("school", "ann", 10.0) == 70.0


def test_a_key_that_was_quiet_has_its_turn_immediately() -> None:
    """Nothing is kept of turns that have passed."""
    turns = Turns(apart_s=2.0, longest_s=60.0)
    turns.turn("school", "ann", 10.0)
    assert turns.turn("school", "bob", 100.0) == 100.0
