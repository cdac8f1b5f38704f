"""Which step leads from which state of an event to which."""

from itertools import product

import pytest

from mancala.server.contest.events.lifecycle import (
    NEXT,
    OVER,
    UNDER_WAY,
    EventState,
    EventStep,
    Phase,
    StepError,
)


def walk(*steps: EventStep) -> Phase:
    phase = Phase()
    for step in steps:
        phase = phase.after(step)
    return phase


def test_an_event_goes_through_entry_check_in_and_rounds_to_its_final_table() -> None:
    """The whole life of an event of two rounds, state by state."""
    steps = ["open", "check-in", "pair", "play", "close", "pair", "play", "close", "finish"]
    phase, seen = Phase(), []
    for step in (*steps, "publish"):
        phase = phase.after(EventStep(step))
        seen.append((phase.state.value, phase.round))
        assert phase.has_begun == (phase.round > 0)
    assert seen == [
        ("open", 0),
        ("check-in", 0),
        ("pairing", 1),
        ("playing", 1),
        ("closed", 1),
        ("pairing", 2),
        ("playing", 2),
        ("closed", 2),
        ("finished", 2),
        ("published", 2),
    ]


@pytest.mark.parametrize("steps", [(), ("open",), ("open", "check-in")])
def test_round_one_is_paired_from_each_state_before_the_start(steps: tuple[str, ...]) -> None:
    """An event without entry or check-in starts as well."""
    assert walk(*map(EventStep, steps), EventStep.PAIR) == Phase(EventState.PAIRING, 1)


@pytest.mark.parametrize("state", UNDER_WAY)
def test_a_paused_event_returns_to_the_state_it_had(state: EventState) -> None:
    """Neither the state nor the round is lost by a pause."""
    phase = Phase(state, 3)
    paused = phase.after(EventStep.PAUSE)
    assert paused.state is EventState.PAUSED
    assert paused.after(EventStep.RESUME) == phase


@pytest.mark.parametrize("state", [*UNDER_WAY, EventState.PAUSED])
def test_an_event_can_be_cancelled_until_it_is_over(state: EventState) -> None:
    """Whatever it does, also while it is paused."""
    resumes = EventState.PLAYING if state is EventState.PAUSED else None
    cancelled = Phase(state, 2, resumes).after(EventStep.CANCEL)
    assert (cancelled.state, cancelled.is_over) == (EventState.CANCELLED, True)
    assert cancelled.steps() == ()


@pytest.mark.parametrize(("state", "step"), [*product(EventState, EventStep)])
def test_what_is_not_in_the_table_is_refused(state: EventState, step: EventStep) -> None:
    """Each pair of state and step is either in the table, or an error that names both."""
    phase = Phase(state)
    if (state, step) in NEXT:
        assert phase.after(step).state is NEXT[state, step]
        assert step in phase.steps()
    else:
        with pytest.raises(StepError, match=f"the step {step} .* while the event is {state}"):
            phase.after(step)
        assert step not in phase.steps()


def test_a_paused_event_is_only_resumed_or_cancelled() -> None:
    """No round is paired behind the organiser's back."""
    paused = Phase(EventState.PLAYING, 1).after(EventStep.PAUSE)
    assert {*paused.steps()} == {EventStep.RESUME, EventStep.CANCEL}


def test_every_state_can_be_reached_and_only_the_last_ones_are_ends() -> None:
    """The table has no state that nothing leads to, and none that is a trap."""
    reached = {EventState.DRAFT, *NEXT.values()}
    left = {state for state, _ in NEXT}
    assert reached == {*EventState}
    assert {*EventState} - left == {EventState.PUBLISHED, EventState.CANCELLED}
    assert {state for state in EventState if Phase(state).is_over} == {*OVER}
