"""Who is free in a ladder, and who meets whom."""

from __future__ import annotations

import pytest

from server.ladders.membership import HOUSE_MEETINGS, Membership
from server.ladders.state import LadderState, Outcome

PATIENCE_S = 20.0


@pytest.fixture
def state() -> LadderState:
    """The state of a new ladder."""
    return LadderState({})


def roster_of(*names: str, house: tuple[str, ...] = ()) -> Membership:
    """Let bots join at the instant 0, a millisecond apart."""
    roster = Membership(patience_s=PATIENCE_S, house=house)
    for place, name in enumerate(names):
        roster.join(name, f"{name}@1", place / 1000)
    return roster


def met(roster: Membership, state: LadderState, now: float) -> list[tuple[str, str]]:
    """Pair, and note who plays."""
    encounters = [(each.first, each.second) for each in roster.pair(state, now)]
    for first, second in encounters:
        roster.begun(first, second)
    return encounters


def test_only_those_who_are_here_and_free_are_paired(state: LadderState) -> None:
    """Who is away, playing or gone is nobody's opponent."""
    roster = roster_of("ann", "bob", "cy", "dan", "eve")
    roster.went("ann")
    roster.begun("bob", "cy")
    roster.leave("dan")
    assert met(roster, state, 1.0) == []
    roster.came("ann", "ann@2", 2.0)
    assert met(roster, state, 2.0) == [("eve", "ann")]
    assert roster.entrant("ann") == "ann@2"


def test_who_plays_all_it_may_elsewhere_is_not_paired(state: LadderState) -> None:
    """It is again, once it has time."""
    busy = {"bob"}
    roster = Membership(patience_s=PATIENCE_S, has_time=lambda name: name not in busy)
    for name in ("ann", "bob"):
        roster.join(name, f"{name}@1", 0.0)
    assert met(roster, state, 1.0) == []
    busy.clear()
    assert met(roster, state, 2.0) == [("ann", "bob")]


def test_two_alone_play_again_at_once(state: LadderState) -> None:
    """Where nobody else could come free, waiting for somebody new would be waste."""
    roster = roster_of("ann", "bob")
    assert met(roster, state, 1.0) == [("ann", "bob")]
    for name in ("ann", "bob"):
        roster.done(name, 2.0)
    assert met(roster, state, 2.0)


def test_a_restart_does_not_bring_back_the_last_opponent(state: LadderState) -> None:
    """Whom a former server had paired last waits for somebody new, as without the restart."""
    roster = roster_of("ann", "bob", "cy")
    roster.went("cy")
    roster.recall({"ann": "bob", "bob": "ann"})
    roster.came("cy", "cy@1", 1.0)
    assert ("ann", "bob") not in met(roster, state, 1.0)


def test_three_do_not_meet_the_same_again_before_their_patience_ends(state: LadderState) -> None:
    """With a third about, the last two wait for it, but not for ever."""
    roster = roster_of("ann", "bob", "cy")
    assert met(roster, state, 1.0) == [("ann", "bob")]
    roster.begun("cy", "somebody elsewhere")
    for name in ("ann", "bob"):
        roster.done(name, 2.0)
    assert met(roster, state, 3.0) == []
    due = roster.next_look(state, 3.0)
    assert due == 2.0 + PATIENCE_S
    assert met(roster, state, due) == [("ann", "bob")]


def test_who_rejoins_during_its_match_is_not_seated_twice(state: LadderState) -> None:
    """A bot that leaves and joins in the middle of a match goes on with that one first."""
    roster = roster_of("ann", "bob", "cy")
    roster.leave("ann")
    roster.join("ann", "ann@1", 1.0, is_playing=True)
    roster.leave("bob")
    assert met(roster, state, 2.0) == []
    roster.done("ann", 3.0)
    assert met(roster, state, 3.0) == [("cy", "ann")]


def test_house_bots_get_to_know_each_other_and_then_wait_for_guests(state: LadderState) -> None:
    """They meet until enough is known, and any guest finds them at any time."""
    roster = roster_of("random", "greedy", house=("random", "greedy"))
    assert met(roster, state, 1.0) == [("random", "greedy")]
    for _ in range(HOUSE_MEETINGS):
        state.count(Outcome(("random@1", "greedy@1"), winner=1))
    for name in ("random", "greedy"):
        roster.done(name, 2.0)
    assert met(roster, state, 2.0) == []
    assert roster.next_look(state, 2.0 + PATIENCE_S) == float("inf")
    roster.join("guest", "guest", 3.0)
    assert len(met(roster, state, 3.0)) == 1
