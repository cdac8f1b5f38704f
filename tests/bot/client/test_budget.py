"""The time a move may take: always in time, never all of the bank."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.bot.client.budget import RoundTrip, budget_s, moves_left, usable_s
from mancala.protocol.clock import Clock, Ledger, TimeControl

lengths = st.floats(0.001, 1000.0)
trips = st.builds(RoundTrip, st.floats(0.0, 2.0), st.floats(0.0, 1.0))


@given(deadline=lengths, quota=lengths, trip=trips)
def test_an_answer_in_budget_arrives_before_the_flag(
    deadline: float, quota: float, trip: RoundTrip
) -> None:
    """Thinking plus the feared round trip ends before the deadline plus the lag's credit."""
    thought = usable_s(deadline, quota, trip)
    assert thought >= 0
    if thought > 0:
        assert thought + trip.pessimistic_s < deadline + min(quota, trip.usual_s)


@given(deadline=lengths, more=lengths, quota=lengths, trip=trips)
def test_more_time_is_never_less_thought(
    deadline: float, more: float, quota: float, trip: RoundTrip
) -> None:
    """A later deadline does not shorten the thought."""
    longer = usable_s(deadline + more, quota, trip)
    assert longer >= usable_s(deadline, quota, trip) - 1e-9


@pytest.mark.parametrize(("deadline", "least"), [(0.1, 0.08), (0.2, 0.17), (1.0, 0.95), (60, 59)])
def test_on_a_good_link_most_of_the_limit_is_used(deadline: float, least: float) -> None:
    """The margin is small where there is no lag."""
    assert usable_s(deadline, 1.0, RoundTrip(0.0005, 0.0002)) > least


@given(
    bank_ms=st.integers(100, 600_000),
    increment_ms=st.integers(0, 5_000),
    moves=st.lists(st.integers(0, 2), max_size=60),
)
def test_a_bank_is_never_used_up(bank_ms: int, increment_ms: int, moves: list[int]) -> None:
    """A player who keeps to the budget has time left after any number of moves."""
    control = TimeControl(move_ms=None, bank_ms=bank_ms, increment_ms=increment_ms)
    clock, seeds = Clock.set_up(control), 48
    for sown in moves:
        usable = usable_s(clock.allowed_ms(0) / 1000, 1.0, RoundTrip())
        thought = budget_s(usable, control, clock.state, seat=0, seeds=seeds)
        clock = clock.charge(0, Ledger(elapsed_ms=thought * 1000, lag_ms=0))
        assert clock.banks_ms[0] > 0
        seeds = max(1, seeds - sown)


def test_a_bank_is_spread_over_the_game() -> None:
    """A minute for a whole game is neither spent on the first move nor hoarded."""
    control = TimeControl(move_ms=None, bank_ms=60_000)
    clock = Clock.set_up(control).state
    assert 1.0 < budget_s(59.0, control, clock, seat=0, seeds=48) < 6.0
    assert moves_left(4) < moves_left(48)


def test_a_limit_a_move_bounds_the_share_of_a_bank() -> None:
    """Where both limits hold, the smaller one does."""
    control = TimeControl(move_ms=500, bank_ms=3_600_000)
    assert budget_s(0.4, control, Clock.set_up(control).state, seat=1, seeds=48) == 0.4


def test_the_round_trip_is_smoothed() -> None:
    """One late pong raises what is feared more than what is usual, and is forgotten again."""
    trip = RoundTrip()
    for _ in range(20):
        trip = trip.after(0.05)
    late = trip.after(0.5)
    assert trip.pessimistic_s == pytest.approx(0.05, abs=0.001)
    assert late.usual_s < 0.11
    assert late.pessimistic_s > 0.25
    for _ in range(40):
        late = late.after(0.05)
    assert late.pessimistic_s == pytest.approx(0.05, abs=0.01)
