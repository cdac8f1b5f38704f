"""Seats swap, points add up."""

import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.rules import KALAH
from mancala.server.model.match import Match, Terms

TERMS = Terms(KALAH, TimeControl(), rated=True, games=3)


def begun(games: int) -> Match:
    return Match("m", ("ann", "bob"), TERMS, "now", games=[f"g{k}" for k in range(games)])


def test_the_first_named_begins_game_0_and_then_every_other() -> None:
    """In game k the bot named first has seat k modulo 2."""
    there = [("ann", "bob"), ("bob", "ann"), ("ann", "bob")]
    assert [begun(games).seat_names for games in (1, 2, 3)] == there


def test_a_win_counts_for_who_sat_there() -> None:
    """In the second game seat 0 is the bot named second."""
    match = begun(2)
    match.count(0, Reason.NORMAL)
    assert match.score == {"ann": 0.0, "bob": 1.0}


@pytest.mark.parametrize(("reason", "points"), [(Reason.NORMAL, 0.5), (Reason.ABORTED, 0.0)])
def test_no_winner_is_half_a_point_each_unless_the_game_does_not_count(
    reason: Reason, points: float
) -> None:
    """A draw is shared; an aborted game gives nothing."""
    match = begun(1)
    match.count(None, reason)
    assert match.score == {"ann": points, "bob": points}


def test_a_match_has_as_many_games_as_agreed() -> None:
    """Games are left until all have begun."""
    assert [begun(games).has_more for games in (1, 2, 3)] == [True, True, False]


def test_a_pair_counts_once_both_of_its_games_did() -> None:
    """The first side's points in both; an aborted game or a lone one makes no pair."""
    match = begun(1)
    match.count(0, Reason.NORMAL)
    assert match.counted_pair is None
    match.games.append("g1")
    match.count(None, Reason.NORMAL)
    assert match.counted_pair == (1.0, 0.5)
    match.games.append("g2")
    match.count(None, Reason.ABORTED)
    match.games.append("g3")
    match.count(0, Reason.NORMAL)
    assert match.counted_pair is None
