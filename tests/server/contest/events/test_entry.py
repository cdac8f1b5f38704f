"""Who takes part in an event."""

import pytest

from mancala.server.config.events import EventSettings, Format
from mancala.server.contest.events.entry import (
    Entrants,
    EntryError,
    after_round,
    attendance,
    checked_in,
    entered,
    excused,
    meeting,
    players,
    reinstated,
    started,
    withdrawn,
)
from mancala.server.contest.events.lifecycle import EventState, Phase
from mancala.server.contest.events.terms import Attendance
from mancala.server.contest.live.state import listed_first
from mancala.server.model.contests import EntrantRow

OPEN = Phase(EventState.OPEN)
CHECK_IN = Phase(EventState.CHECK_IN)
SECOND_ROUND = Phase(EventState.PLAYING, 2)
ANN_AND_BOB = (EntrantRow.entering("ann"), EntrantRow.entering("bob"))


def enter(
    entrants: Entrants, phase: Phase, name: str, *, format_: Format = Format.SWISS, late: int = 0
) -> Entrants:
    """Enter a Swiss event, unless another format is said."""
    return entered(entrants, phase, name, format_=format_, late_until=late)


def test_entrants_are_seeded_in_the_order_in_which_they_enter() -> None:
    """The order is kept when others enter."""
    entrants = enter(enter((), OPEN, "bob"), OPEN, "ann")
    assert [each.name for each in entrants] == ["bob", "ann"]


def test_a_bot_enters_once() -> None:
    """The second time is refused with its name."""
    with pytest.raises(EntryError, match="ann has entered already"):
        enter(ANN_AND_BOB, OPEN, "ann")


def test_who_withdrew_before_the_start_may_enter_again() -> None:
    """It keeps its place in the order, and confirms again that it is there."""
    gone = withdrawn(ANN_AND_BOB, OPEN, "ann")
    assert [each.name for each in players(gone)] == ["bob"]
    assert enter(gone, OPEN, "ann") == ANN_AND_BOB


def test_a_late_entrant_joins_the_next_round_of_a_swiss_event() -> None:
    """The rounds before it are half-point byes."""
    entrants = enter(ANN_AND_BOB, SECOND_ROUND, "cat", late=3)
    assert entrants[-1] == EntrantRow.entering("cat", joins=3)
    assert attendance(entrants, 5) == {"cat": Attendance(3)}
    away = attendance(entrants, 5, {"ann": (1, 2, 4)})
    assert away["ann"] == Attendance(away=((1, 2), (4, 4)))


@pytest.mark.parametrize(
    ("format_", "late"), [(Format.SWISS, 2), (Format.SWISS, 0), (Format.ROUND_ROBIN, 5)]
)
def test_no_bot_enters_later_than_the_rule_says(format_: Format, late: int) -> None:
    """After the last round for late entrants, or in a format that takes none."""
    with pytest.raises(EntryError, match="round 2 has begun"):
        enter(ANN_AND_BOB, SECOND_ROUND, "cat", format_=format_, late=late)


def test_who_withdrew_from_an_event_under_way_does_not_come_back() -> None:
    """Its opponents were paired without it."""
    gone = withdrawn(ANN_AND_BOB, SECOND_ROUND, "ann")
    with pytest.raises(EntryError, match="ann has withdrawn"):
        enter(gone, SECOND_ROUND, "ann", late=5)


@pytest.mark.parametrize("state", [EventState.FINISHED, EventState.CANCELLED])
def test_an_event_that_is_over_takes_no_entry_and_no_withdrawal(state: EventState) -> None:
    """The error names the state."""
    phase = Phase(state, 3)
    with pytest.raises(EntryError, match=f"the event is {state}"):
        enter(ANN_AND_BOB, phase, "cat", late=9)
    with pytest.raises(EntryError, match=f"the event is {state}"):
        withdrawn(ANN_AND_BOB, phase, "ann")


def test_only_those_who_checked_in_play() -> None:
    """Where the event asks for it."""
    entrants: Entrants = (*ANN_AND_BOB, EntrantRow.entering("cat"))
    for name in ("ann", "cat"):
        entrants = checked_in(entrants, CHECK_IN, name)
    assert [each.name for each in players(started(entrants, CHECK_IN))] == ["ann", "cat"]


def test_without_a_check_in_all_play_who_have_not_withdrawn() -> None:
    """An event may start straight from its list of entrants."""
    entrants = withdrawn((*ANN_AND_BOB, EntrantRow.entering("cat")), Phase(), "bob")
    assert [each.name for each in players(started(entrants, Phase()))] == ["ann", "cat"]


def test_an_event_with_fewer_than_two_does_not_start() -> None:
    """The error says how many there are."""
    with pytest.raises(EntryError, match="needs two entrants or more, and has 0"):
        started(ANN_AND_BOB, CHECK_IN)


def test_checking_in_has_its_time_and_its_entrants() -> None:
    """Neither before it was called for, nor by a stranger, nor after a withdrawal."""
    with pytest.raises(EntryError, match="there is no check-in"):
        checked_in(ANN_AND_BOB, OPEN, "ann")
    with pytest.raises(EntryError, match="cat is no entrant"):
        checked_in(ANN_AND_BOB, CHECK_IN, "cat")
    with pytest.raises(EntryError, match="ann is no entrant"):
        checked_in(withdrawn(ANN_AND_BOB, OPEN, "ann"), CHECK_IN, "ann")


def test_who_withdraws_plays_the_present_round_to_its_end() -> None:
    """It is paired for no further one, and stays in the table."""
    entrants = withdrawn(ANN_AND_BOB, SECOND_ROUND, "bob")
    assert entrants[1].leaves == 2
    assert attendance(entrants, 5) == {"bob": Attendance(leaves=2)}
    assert players(entrants) == entrants


def test_a_late_entrant_who_withdraws_before_its_first_round_is_no_player() -> None:
    """There is no round that it was paired for."""
    entrants = enter(ANN_AND_BOB, SECOND_ROUND, "cat", late=3)
    assert players(withdrawn(entrants, SECOND_ROUND, "cat")) == ANN_AND_BOB


def test_two_absences_in_a_row_withdraw() -> None:
    """The second one counts as the last round."""
    entrants = after_round(ANN_AND_BOB, 1, {"ann", "bob"}, {"bob"})
    assert not entrants[1].has_withdrawn
    entrants = after_round(entrants, 2, {"ann", "bob"}, {"bob"})
    assert (entrants[1].leaves, entrants[0].leaves) == (2, None)


def test_a_round_that_is_played_forgives_an_absence() -> None:
    """Only those in a row count."""
    entrants: Entrants = ANN_AND_BOB
    for number, absent in enumerate(({"bob"}, set[str](), {"bob"}), start=1):
        entrants = after_round(entrants, number, {"ann", "bob"}, absent)
    assert (entrants[1].absences, entrants[1].has_withdrawn) == (1, False)


def test_a_bye_between_two_absences_changes_nothing() -> None:
    """Who had no opponent was neither there nor absent."""
    entrants = after_round(ANN_AND_BOB, 1, {"ann", "bob"}, {"bob"})
    entrants = after_round(entrants, 2, {"ann"}, ())
    entrants = after_round(entrants, 3, {"ann", "bob"}, {"bob"})
    assert entrants[1].leaves == 3


def give(entrants: Entrants, phase: Phase, name: str, number: int, *, has_bye: bool) -> Entrants:
    return excused(entrants, phase, name, number, rounds=5, has_bye=has_bye)


def test_a_bye_is_given_for_a_round_to_come_and_taken_back() -> None:
    """It brings half a point, as the rounds before a late entry do."""
    excused_ann = give(ANN_AND_BOB, SECOND_ROUND, "ann", 3, has_bye=True)
    assert attendance(excused_ann, 5) == {"ann": Attendance(byes=(3,))}
    assert attendance(excused_ann, 5)["ann"].points(3) == 0.5
    twice = give(excused_ann, SECOND_ROUND, "ann", 5, has_bye=True)
    assert twice[0].bye_rounds == (3, 5)
    assert give(twice, SECOND_ROUND, "ann", 3, has_bye=False)[0].bye_rounds == (5,)


def test_a_bye_of_a_round_that_was_missed_is_gone_when_its_entrant_is_back() -> None:
    """It would bring points for a round in which the entrant had withdrawn."""
    excused_ann = (ANN_AND_BOB[0]._replace(byes="1,2,3,4"), ANN_AND_BOB[1])
    gone = withdrawn(excused_ann, Phase(EventState.PLAYING, 1), "ann")
    back = reinstated(gone, Phase(EventState.PLAYING, 3), "ann", format_=Format.SWISS)
    assert back[0].bye_rounds == (1, 4)


@pytest.mark.parametrize(
    ("name", "number", "has_bye", "said"),
    [
        ("ann", 2, True, "round 2 was paired already"),
        ("ann", 6, True, "the event has 5 rounds, and no round 6"),
        ("cat", 3, True, "cat plays from round 4 on"),
        ("dan", 3, True, "dan is no entrant"),
        ("bob", 3, True, "bob has a bye already in round 3"),
        ("ann", 3, False, "ann has no bye in round 3"),
    ],
)
def test_a_bye_that_cannot_be_given_is_refused(
    name: str, number: int, *, has_bye: bool, said: str
) -> None:
    """The error says why."""
    entrants = (
        EntrantRow.entering("ann"),
        EntrantRow.entering("bob")._replace(byes="3"),
        EntrantRow.entering("cat", joins=4),
    )
    with pytest.raises(EntryError, match=said):
        give(entrants, SECOND_ROUND, name, number, has_bye=has_bye)


def test_a_round_is_never_left_without_players_by_byes() -> None:
    """Where all have a bye, none has; who withdrew, or comes later, does not count as playing."""
    both = tuple(EntrantRow.entering(name)._replace(byes="3") for name in ("ann", "bob"))
    assert attendance(both, 5) == {}
    others = (EntrantRow.entering("cat")._replace(leaves=2), EntrantRow.entering("dan", joins=4))
    assert "ann" not in attendance((*both, *others), 5)
    held = attendance((*both, EntrantRow.entering("eve")), 5)
    assert held == dict.fromkeys(("ann", "bob"), Attendance(byes=(3,)))


def test_byes_after_a_withdrawal_or_after_the_last_round_are_void() -> None:
    """The last round is known once the event begins."""
    entrants = (
        EntrantRow.entering("ann")._replace(leaves=2, byes="2,3"),
        EntrantRow.entering("bob")._replace(byes="9"),
    )
    cat = EntrantRow.entering("cat")
    assert attendance((*entrants, cat), 5) == {"ann": Attendance(leaves=2, byes=(2,))}


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_a_pairing_by_hand_is_taken_back_when_one_of_the_two_has_withdrawn(name: str) -> None:
    """It stayed, and the other could meet no one by order in that round."""
    pair, rounds = ("ann", "bob"), 3
    ordered = meeting(ANN_AND_BOB, OPEN, pair, 2, rounds=rounds, is_set=True)
    gone = withdrawn(ordered, OPEN, name)
    assert meeting(gone, OPEN, pair, 2, rounds=rounds, is_set=False) == withdrawn(
        ANN_AND_BOB, OPEN, name
    )


def test_a_pairing_by_hand_that_is_taken_back_leaves_those_of_other_rounds() -> None:
    """Also those of later rounds, in which the same two meet again."""
    ordered: Entrants = ANN_AND_BOB
    for number in (2, 3, 4):
        ordered = meeting(ordered, OPEN, ("ann", "bob"), number, rounds=4, is_set=True)
    kept = meeting(ordered, OPEN, ("ann", "bob"), 3, rounds=4, is_set=False)
    assert dict(kept[0].meetings) == {2: "bob", 4: "bob"}


def test_who_withdrew_from_a_round_robin_after_a_round_comes_back() -> None:
    """Its rounds were drawn up. It has been absent from none of those to come."""
    absent = (ANN_AND_BOB[0]._replace(absences=1), ANN_AND_BOB[1])
    gone = withdrawn(absent, SECOND_ROUND, "ann")
    assert reinstated(gone, SECOND_ROUND, "ann", format_=Format.ROUND_ROBIN) == (
        ANN_AND_BOB[0]._replace(checked_in=True),
        ANN_AND_BOB[1],
    )


@pytest.mark.parametrize(
    ("name", "why"), [("ann", "ann has not withdrawn"), ("eva", "eva is no entrant of the event")]
)
def test_only_who_withdrew_is_taken_back(name: str, why: str) -> None:
    """The error says what else the bot is."""
    with pytest.raises(EntryError, match=why):
        reinstated(ANN_AND_BOB, SECOND_ROUND, name, format_=Format.SWISS)
    back = reinstated(withdrawn(ANN_AND_BOB, OPEN, "bob"), OPEN, "bob", format_=Format.SWISS)
    assert [each.has_withdrawn for each in back] == [False, False]


def test_rounds_that_an_entrant_was_left_out_of_are_kept_as_spans() -> None:
    """One span for those that follow each other."""
    held = attendance(ANN_AND_BOB, 9, {"bob": (1, 3, 4, 5, 7)})
    assert held == {"bob": Attendance(away=((1, 1), (3, 5), (7, 7)))}


def test_what_was_ordered_for_rounds_ends_with_the_swiss_format() -> None:
    """An organiser may change the format until the event begins."""
    ordered = meeting(ANN_AND_BOB, OPEN, ("ann", "bob"), 2, rounds=3, is_set=True)
    for format_, kept in ((Format.SWISS, ordered), (Format.ROUND_ROBIN, ANN_AND_BOB)):
        settings = EventSettings(name="cup", format=format_, entrants=("ann", "bob"))
        assert listed_first(settings, ordered) == kept


def test_one_with_a_bye_meets_no_one_by_order_in_that_round() -> None:
    """The two orders would contradict each other."""
    away = excused(ANN_AND_BOB, OPEN, "bob", 2, rounds=3, has_bye=True)
    with pytest.raises(EntryError, match="bob has a bye in round 2"):
        meeting(away, OPEN, ("ann", "bob"), 2, rounds=3, is_set=True)
