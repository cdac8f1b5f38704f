"""The clock's arithmetic: what is charged, what is credited, when the flag falls."""

from math import inf
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.protocol.clock import (
    LONGEST_MS,
    MAX_GAIN_MS,
    Clock,
    ClockState,
    Ledger,
    TimeControl,
    TimeoutPolicy,
)
from tests.protocol.strategies import time_controls

SECOND: Final = TimeControl(move_ms=1000)
BANK: Final = TimeControl(move_ms=None, bank_ms=60_000, increment_ms=500)

thinking = st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), max_size=30)


@given(time_controls, thinking)
def test_credit_never_exceeds_lag_quota_or_time(
    control: TimeControl, moves: list[tuple[float, float]]
) -> None:
    """A move is credited at most its lag, its quota and the time it took; the quota is bounded."""
    clock = Clock.set_up(control)
    for elapsed_ms, lag_ms in moves:
        quota = clock.quotas_ms[0]
        ledger = clock.ask(0.0).measure(0, elapsed_ms / 1000, lag_ms)
        assert 0 <= ledger.lag_ms <= min(lag_ms, quota, ledger.elapsed_ms)
        clock = clock.charge(0, ledger)
        assert 0 <= clock.quotas_ms[0] <= 7 * control.gain_ms


@given(time_controls, thinking)
def test_no_bot_is_credited_more_than_the_quota_in_all(
    control: TimeControl, moves: list[tuple[float, float]]
) -> None:
    """However late the pings are answered, a game's credit is three gains and one a move."""
    clock, credited = Clock.set_up(control), 0.0
    for elapsed_ms, lag_ms in moves:
        ledger = clock.ask(0.0).measure(0, elapsed_ms / 1000, lag_ms)
        credited += ledger.lag_ms
        clock = clock.charge(0, ledger)
    assert credited <= (3 + len(moves)) * control.gain_ms + 1e-6


@given(st.lists(st.integers(0, 1400), max_size=40), st.integers(0, 1))
def test_a_bank_pays_what_was_used_and_gains_the_increment(uses: list[int], player: int) -> None:
    """After any moves within the time the bank is start - used + increments."""
    clock = Clock.set_up(BANK)
    for used in uses:
        clock = clock.charge(player, Ledger(used, 0.0))
    assert clock.banks_ms[player] == 60_000 - sum(uses) + 500 * len(uses)
    assert clock.banks_ms[1 - player] == 60_000


def test_credited_lag_is_not_charged_to_the_bank() -> None:
    """One that thought 300 ms and lost 200 to the network pays 300."""
    clock = Clock.set_up(BANK).ask(100.0)
    ledger = clock.measure(0, 100.5, 200.0)
    assert ledger == Ledger(500.0, 200.0)
    assert clock.charge(0, ledger).banks_ms == (60_000 - 300 + 500, 60_000)


def test_a_bank_is_never_negative() -> None:
    """A late forced move empties the bank; the increment still comes."""
    assert Clock.set_up(BANK).charge(0, Ledger(90_000, 0.0)).banks_ms[0] == 500


@given(time_controls, st.floats(0, 1e5), st.integers(0, 1))
def test_the_flag_falls_when_limit_and_credit_are_used_up(
    control: TimeControl, lag_ms: float, player: int
) -> None:
    """An answer at the flag has used what was allowed, after credit, to the microsecond."""
    clock = Clock.set_up(control).ask(0.0)
    ledger = clock.measure(player, clock.flag_at(player, lag_ms), lag_ms)
    allowed = clock.allowed_ms(player)
    assert ledger.elapsed_ms - ledger.lag_ms == pytest.approx(allowed, abs=2e-3, rel=1e-9)


def test_the_tighter_limit_holds() -> None:
    """With a limit a move and a bank, whichever is less allows."""
    clock = Clock.set_up(TimeControl(move_ms=1000, bank_ms=1500))
    assert clock.allowed_ms(0) == 1000
    assert clock.charge(0, Ledger(900, 0.0)).allowed_ms(0) == 600


def test_lag_counts_from_the_question() -> None:
    """The flag of a second's limit falls a second and the credited lag after the question."""
    clock = Clock.set_up(SECOND).ask(10.0)
    assert clock.flag_at(0, 0.0) == pytest.approx(11.0)
    assert clock.flag_at(0, 50.0) == pytest.approx(11.05)
    assert clock.flag_at(0, 1e9) == pytest.approx(11.0 + 3 * SECOND.gain_ms / 1000)


def test_the_quota_holds_at_most_seven_gains() -> None:
    """A player without lag saves quota up to seven gains, and the lag of later moves uses it."""
    clock = Clock.set_up(SECOND)
    for _ in range(10):
        clock = clock.charge(0, Ledger(100, 0.0))
    assert clock.quotas_ms == (7 * SECOND.gain_ms, 3 * SECOND.gain_ms)
    assert clock.charge(0, Ledger(500, 400.0)).quotas_ms[0] == 8 * SECOND.gain_ms - 400


def test_a_clock_that_went_backwards_charges_nothing() -> None:
    """An answer before its question took no time."""
    assert Clock.set_up(SECOND).ask(10.0).measure(0, 9.0, 50.0) == Ledger(0.0, 0.0)


@pytest.mark.parametrize(
    ("control", "gain"),
    [
        (TimeControl(move_ms=1000), 150 + 4 * 40),
        (TimeControl(move_ms=100), 150 + 4 * 4),
        (BANK, 150 + 4 * 80),
        (TimeControl(move_ms=1000, bank_ms=10_000), 150 + 4 * 10),
        (TimeControl(move_ms=60_000), 1000),
    ],
)
def test_the_gain_follows_the_expected_length_of_the_game(control: TimeControl, gain: int) -> None:
    """150 ms and 4 ms for each second that forty moves may take, a second at most."""
    assert control.gain_ms == gain


def test_the_state_tells_banks_only_where_there_are_any() -> None:
    """Whole milliseconds, rounded down."""
    assert Clock.set_up(SECOND).state == ClockState(None, (930, 930))
    assert Clock.set_up(BANK).charge(1, Ledger(0.5, 0.0)).state.banks_ms == (60_000, 60_499)
    assert Clock.set_up(SECOND).charge(1, Ledger(100, 30.5)).state.quotas_ms == (930, 1209)


def test_a_clock_gives_a_second_a_move_by_default() -> None:
    """Without settings there is no bank, and a fallen flag loses."""
    assert TimeControl() == TimeControl(1000, None, 0, TimeoutPolicy.FORFEIT)


@pytest.mark.parametrize("value", [SECOND, ClockState(None, (0, 0))])
def test_games_share_values_that_cannot_change(value: object) -> None:
    """The control of one game is that of all games of a match."""
    field = type(value).__slots__[0]  # type: ignore[attr-defined]  # both have slots
    with pytest.raises(AttributeError):
        setattr(value, field, 5)


def test_a_week_is_the_longest_time() -> None:
    """Each limit may be seven days, and the shortest limit is a millisecond."""
    week = 604_800_000
    assert TimeControl(week, week, week).gain_ms == MAX_GAIN_MS
    assert TimeControl(1, 1).gain_ms == pytest.approx(150.004)
    for limits in ((week + 1, None, 0), (None, week + 1, 0), (None, 1, week + 1)):
        with pytest.raises(ValueError, match=f"{week}, not {week + 1}"):
            TimeControl(*limits)


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"move_ms": None}, "a clock needs move_ms, bank_ms or both"),
        ({"move_ms": 0}, f"move_ms must be 1..{LONGEST_MS}, not 0"),
        ({"bank_ms": LONGEST_MS + 1}, f"bank_ms must be 1..{LONGEST_MS}"),
        ({"increment_ms": -1}, f"increment_ms must be 0..{LONGEST_MS}, not -1"),
    ],
)
def test_wrong_limits_are_named(limits: dict[str, int | None], complaint: str) -> None:
    """An error about a clock says which limit is wrong."""
    with pytest.raises(ValueError, match=complaint):
        TimeControl(**limits)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(
    ("seconds", "move_ms"), [(1.5, 1500), (0.0, 1), (-1.0, 1), (inf, LONGEST_MS), (1e9, LONGEST_MS)]
)
def test_a_limit_of_each_move_is_the_closest_that_a_clock_allows(
    seconds: float, move_ms: int
) -> None:
    """Also for a time that no clock has."""
    assert TimeControl.for_each_move(seconds) == TimeControl(move_ms=move_ms)
