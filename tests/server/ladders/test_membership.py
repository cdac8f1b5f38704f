"""Who is free in a ladder, and who meets whom."""

from collections.abc import Container

import pytest

from mancala.server.config.ladders import LadderSettings
from mancala.server.ladders.membership import HOUSE_MEETINGS, Member, Membership, PairingWait
from mancala.server.ladders.state import CountedGame, LadderState

PATIENCE_S = 20.0


@pytest.fixture
def state() -> LadderState:
    return LadderState({})


def membership_of(
    *names: str,
    house: tuple[str, ...] = (),
    pulse_s: float = 0.0,
    busy: Container[str] = (),
    guest_pool: bool = False,
) -> Membership:
    """Return a membership that bots joined from the instant 0, a millisecond apart."""
    settings = LadderSettings(
        name="main", patience_s=PATIENCE_S, house=dict.fromkeys(house, "random"), pulse_s=pulse_s
    )
    members = Membership(lambda: settings, lambda name: name not in busy, lambda: guest_pool)
    for place, name in enumerate(names):
        members.join(Member(name, f"{name}@1", place / 1000))
    return members


def met(members: Membership, state: LadderState, now: float) -> list[tuple[str, str]]:
    encounters = [(each.first, each.second) for each in members.pair(state, now)]
    for first, second in encounters:
        members.begun(first, second)
    return encounters


def test_only_those_who_are_here_and_free_are_paired(state: LadderState) -> None:
    """A member that is away, playing or gone is not paired."""
    members = membership_of("ann", "bob", "cy", "dan", "eve")
    members.on_disconnect("ann")
    members.begun("bob", "cy")
    members.leave("dan")
    assert met(members, state, 1.0) == []
    members.on_connect("ann", "ann@2", 2.0)
    assert met(members, state, 2.0) == [("eve", "ann")]
    assert members["ann"].entrant == "ann@2"


def test_who_plays_all_it_may_elsewhere_is_not_paired(state: LadderState) -> None:
    """It is again, once it has time."""
    busy = {"bob"}
    members = membership_of("ann", "bob", busy=busy)
    assert met(members, state, 1.0) == []
    busy.clear()
    assert met(members, state, 2.0) == [("ann", "bob")]


def test_two_alone_play_again_at_once(state: LadderState) -> None:
    """Where no other member could come free, a rematch is immediate."""
    members = membership_of("ann", "bob")
    assert met(members, state, 1.0) == [("ann", "bob")]
    for name in ("ann", "bob"):
        members.on_match_end(name, 2.0)
    assert met(members, state, 2.0)


def test_a_restart_does_not_bring_back_the_last_opponent(state: LadderState) -> None:
    """A pair from before a restart waits for new opponents, as without the restart."""
    members = membership_of("ann", "bob", "cy")
    members.on_disconnect("cy")
    members.restore_opponents({"ann": "bob", "bob": "ann"})
    members.on_connect("cy", "cy@1", 1.0)
    assert ("ann", "bob") not in met(members, state, 1.0)


def test_three_do_not_meet_the_same_again_before_their_patience_ends(state: LadderState) -> None:
    """With a third about, the last two wait for it, but not for ever."""
    members = membership_of("ann", "bob", "cy")
    assert met(members, state, 1.0) == [("ann", "bob")]
    members.begun("cy", "another bot")
    for name in ("ann", "bob"):
        members.on_match_end(name, 2.0)
    assert met(members, state, 3.0) == []
    due = members.next_look(state, 3.0)
    assert due == 2.0 + PATIENCE_S
    assert met(members, state, due) == [("ann", "bob")]


def test_who_rejoins_during_its_match_is_not_seated_twice(state: LadderState) -> None:
    """A bot that leaves and joins in the middle of a match goes on with that one first."""
    members = membership_of("ann", "bob", "cy")
    members.leave("ann")
    members.join(Member("ann", "ann@1", 1.0, is_playing=True))
    members.leave("bob")
    assert met(members, state, 2.0) == []
    members.on_match_end("ann", 3.0)
    assert met(members, state, 3.0) == [("cy", "ann")]


def test_house_bots_get_to_know_each_other_and_then_wait_for_guests(state: LadderState) -> None:
    """They meet until enough is known, and any guest finds them at any time."""
    members = membership_of("random", "greedy", house=("random", "greedy"))
    assert met(members, state, 1.0) == [("random", "greedy")]
    for _ in range(HOUSE_MEETINGS):
        state.count(CountedGame(("random@1", "greedy@1"), winner=1))
    for name in ("random", "greedy"):
        members.on_match_end(name, 2.0)
    assert met(members, state, 2.0) == []
    assert members.next_look(state, 2.0 + PATIENCE_S) == float("inf")
    members.join(Member("guest", "guest", 3.0))
    assert len(met(members, state, 3.0)) == 1


def test_house_bots_play_on_slowly_while_the_ladder_is_idle(state: LadderState) -> None:
    """However often they have met, a match of theirs begins each pulse, but none beside others."""
    members = membership_of("greedy", "random", house=("random", "greedy"), pulse_s=45.0)
    for _ in range(HOUSE_MEETINGS):
        state.count(CountedGame(("random@1", "greedy@1"), winner=1))
    assert met(members, state, 100.0) == [("greedy", "random")]
    for name in ("random", "greedy"):
        members.on_match_end(name, 110.0)
    assert met(members, state, 144.0) == []
    assert members.next_look(state, 144.0) == 145.0
    assert met(members, state, 145.0) == [("greedy", "random")]
    assert members.next_look(state, 146.0) == float("inf")


def test_guests_in_a_pool_of_their_own_meet_no_bot_with_a_token(state: LadderState) -> None:
    """Guests meet guests and house bots; bots with a token meet each other."""
    members = membership_of("ann", house=("house",), guest_pool=True)
    members.join(Member("eve", "eve", 0.1, is_guest=True))
    assert met(members, state, 1.0) == []
    apart = PairingWait("an opponent; guests and bots with a token play apart here")
    assert [members.wait_of(name, state, 1.0) for name in ("ann", "eve")] == [apart, apart]
    members.join(Member("mallory", "mallory", 2.0, is_guest=True))
    assert met(members, state, 2.0) == [("eve", "mallory")]
    members.join(Member("zoe", "zoe", 3.0, is_guest=True))
    members.join(Member("house", "house", 3.0))
    assert met(members, state, 3.0) == [("ann", "house")]
    members.on_match_end("house", 4.0)
    assert met(members, state, 4.0) == [("zoe", "house")]


def test_what_a_member_waits_for_is_named(state: LadderState) -> None:
    """Its connection, pause, match or time; others, or the end of the patience for a rematch."""
    busy: set[str] = set()
    members = membership_of("ann", busy=busy)
    assert members.wait_of("ann", state, 1.0) == PairingWait("another bot to join")
    for name in ("bob", "cy"):
        members.join(Member(name, f"{name}@1", 0.0))
    members.begun("bob", "cy")
    assert members.wait_of("ann", state, 1.0) == PairingWait("one of 2 other bots to be free")
    members.begun("ann", "bob")
    assert members.wait_of("ann", state, 1.0) == PairingWait("its present match to end")
    members.on_match_end("ann", 1.0)
    members.on_match_end("bob", 1.0)
    until = 1.0 + PATIENCE_S
    rematch = PairingWait("a new opponent, or a rematch", until)
    assert members.wait_of("ann", state, 1.0) == rematch
    busy.add("ann")
    assert members.wait_of("ann", state, 1.0) == PairingWait("its matches elsewhere to end")
    members["ann"].not_before = 9.0
    assert members.wait_of("ann", state, 1.0) == PairingWait("its pause to end", 9.0)
    members.on_disconnect("ann")
    assert members.wait_of("ann", state, 1.0) == PairingWait("ann to connect")
