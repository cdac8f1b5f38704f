"""Scarce places, lent in turns; turns of those who wait behind one key."""

from math import inf

import pytest

from mancala.server.model.leases import Leases, Turns

STRANGER = ("address 192.0.2.66", "bot stranger")
ANN = ("address 192.0.2.1", "bot ann")
BOB = ("address 192.0.2.1", "bot bob")


@pytest.fixture
def leases() -> Leases:
    """Two places, lent for a minute."""
    return Leases(places=2, lease_s=60.0)


def test_a_free_place_is_lent_immediately(leases: Leases) -> None:
    """As many as there are; the next one waits."""
    for item in ("a", "b", "c"):
        leases.ask(item, ANN, 0.0)
    assert leases.grant(0.0) == ["a", "b"]
    assert (leases.lent, leases.waiting) == (("a", "b"), ("c",))


def test_a_place_that_is_given_back_goes_to_the_one_that_waited_longest(leases: Leases) -> None:
    """Among those that hold as many."""
    for time, item in enumerate(("a", "b", "c", "d")):
        leases.ask(item, (f"bot {item}",), float(time))
        leases.grant(float(time))
    leases.end("b")
    assert leases.grant(4.0) == ["c"]


@pytest.mark.parametrize(
    ("ended", "now", "granted"), [(["s1"], 10.0, ["ann"]), (["s1", "s2"], 200.0, ["ann", "s3"])]
)
def test_who_was_lent_fewest_places_comes_first(
    leases: Leases, ended: list[str], now: float, granted: list[str]
) -> None:
    """One who asks for many waits behind one who has none, and has had none when it came."""
    for item in ("s1", "s2", "s3"):
        leases.ask(item, STRANGER, 0.0)
    leases.grant(0.0)
    leases.ask("ann", ANN, 10.0)
    for item in ended:
        leases.end(item)
    assert leases.grant(now) == granted


def test_a_name_behind_a_shared_address_has_its_own_share(leases: Leases) -> None:
    """Of one address, the name with fewest places comes first."""
    leases.lend("a1", ANN, 0.0)
    leases.ask("a2", ANN, 1.0)
    leases.ask("b1", BOB, 2.0)
    assert leases.grant(2.0) == ["b1"]


def test_no_lease_ends_while_none_waits(leases: Leases) -> None:
    """A place that no other wants may be kept."""
    leases.lend("a", ANN, 0.0)
    assert leases.overdue(1000.0) == []
    assert leases.next_end(0.0) == inf


def test_who_held_longest_yields_first(leases: Leases) -> None:
    """After the length of a lease, one for each that waits."""
    leases.lend("a", ANN, 0.0)
    leases.lend("b", BOB, 10.0)
    leases.ask("c", STRANGER, 20.0)
    assert leases.overdue(59.0) == []
    assert leases.next_end(20.0) == 60.0
    assert leases.overdue(100.0) == ["a"]
    leases.ask("d", STRANGER, 100.0)
    assert leases.overdue(100.0) == ["a", "b"]
    assert leases.overdue(100.0, leases=3.0) == []
    assert leases.next_end(100.0, leases=3.0) == 180.0


def test_a_lease_without_an_end_is_kept(leases: Leases) -> None:
    """A ladder's own match is not interrupted."""
    leases.lend("ladder", ("ladder main",), inf)
    leases.ask("c", STRANGER, 0.0)
    leases.ask("d", STRANGER, 0.0)
    assert leases.grant(0.0) == ["c"]
    assert leases.overdue(1000.0) == ["c"]


def test_one_who_no_longer_waits_is_not_served(leases: Leases) -> None:
    """Nothing is kept of it."""
    leases.ask("a", ANN, 0.0)
    leases.end("a")
    assert leases.grant(1.0) == []
    assert leases.waiting == ()


def test_a_newcomer_displaces_the_last_of_those_that_were_served(leases: Leases) -> None:
    """Where the queue is bounded, one that had a place gives way to one that had none."""
    for time, item in enumerate(("s1", "s2", "s3", "s4")):
        leases.ask(item, STRANGER, float(time))
        leases.grant(float(time))
    leases.ask("ann", ANN, 5.0)
    assert leases.displaced_by(BOB) == "s4"
    assert leases.displaced_by(STRANGER) is None


def test_one_that_had_no_place_yet_is_displaced_by_none(leases: Leases) -> None:
    """However many others come."""
    leases.lend("a", ANN, 0.0)
    leases.lend("b", ANN, 0.0)
    leases.ask("s1", STRANGER, 0.0)
    assert leases.displaced_by(("address 192.0.2.3", "bot cid")) is None


def test_what_several_ask_for_waits_as_the_first_of_them(leases: Leases) -> None:
    """An item keeps the earlier turn of those that want it."""
    leases.ask("s1", STRANGER, 0.0)
    leases.ask("s2", STRANGER, 0.0)
    leases.grant(0.0)
    leases.ask("s3", STRANGER, 1.0)
    leases.ask("shared", STRANGER, 2.0)
    leases.ask("shared", ANN, 3.0)
    leases.end("s1")
    assert leases.grant(4.0) == ["shared"]


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
