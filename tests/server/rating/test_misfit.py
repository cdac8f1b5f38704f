"""Whether players lie on one line, and which pairs are unusual."""

from itertools import permutations
from math import log

import pytest

from mancala.server.model.game import Tally
from mancala.server.model.misfit import Misfit
from mancala.server.rating.fit import Model, fit
from mancala.server.rating.misfit import chi_square_tail, divergence
from mancala.server.rating.ratings import Ratings

Tallies = dict[tuple[str, str], Tally]

LEVEL = Tally(10, 0, 10)


def circle(wins: int, games: int = 20) -> Tallies:
    """Return three players' games: each wins as often against the next, from both seats."""
    lost = Tally(games - wins, 0, wins)
    ahead = {pair: Tally(wins, 0, games - wins) for pair in (("a", "b"), ("b", "c"), ("c", "a"))}
    return ahead | {(second, first): lost for first, second in ahead}


def club(**changed: Tally) -> Tallies:
    """Return games of five level players; ``ab=`` changes the ones that a began with b."""
    games = dict.fromkeys(permutations("abcde", 2), LEVEL)
    return games | {(names[0], names[1]): tally for names, tally in changed.items()}


def misfit_of(ratings: Ratings) -> Misfit:
    assert ratings.misfit is not None
    return ratings.misfit


@pytest.mark.parametrize(
    ("value", "degrees", "chance"),
    [(3.841, 1, 0.05), (6.635, 1, 0.01), (18.307, 10, 0.05), (30.578, 15, 0.01)],
)
def test_the_tail_is_that_of_the_tables(value: float, degrees: float, chance: float) -> None:
    """Quantiles that stand in every table of chi-square have their chance."""
    assert chi_square_tail(value, degrees) == pytest.approx(chance, abs=0.003)


def test_a_circle_has_the_chi_square_of_three_coins() -> None:
    """30 of 40 from each pair, where 20 are expected with the variance 10, are 3 times 10."""
    found = misfit_of(fit(circle(15), model=Model(widen=True)))
    assert found.chi_square == pytest.approx(30, abs=0.5)
    assert found.degrees == pytest.approx(1, abs=0.05)
    assert found.widening == pytest.approx((30 / 1) ** 0.5, rel=0.05)


def test_a_circle_is_said_not_to_lie_on_one_line() -> None:
    """The sentence has the figures; level players get none."""
    assert "do not lie on one line" in misfit_of(fit(circle(15))).sentences()[0]
    level = misfit_of(fit(circle(10)))
    assert level.on_one_line
    assert level.sentences() == []


def test_intervals_are_widened_for_players_off_the_line() -> None:
    """Ratings of a circle are level as others are, but less is known of them."""
    circling, level = (fit(circle(wins), model=Model(widen=True)) for wins in (15, 10))
    assert circling["a"].elo == pytest.approx(level["a"].elo, abs=0.1)
    widening = misfit_of(circling).widening
    assert circling["a"].error == pytest.approx(widening * level["a"].error, rel=0.01)


def test_intervals_stay_as_they_are_where_strangers_play() -> None:
    """On a ladder a circle of guests would widen the intervals of all."""
    circling, level = fit(circle(15)), fit(circle(10))
    assert not misfit_of(circling).on_one_line
    assert circling["a"].error == pytest.approx(level["a"].error, rel=0.01)


def test_two_players_have_nothing_to_compare() -> None:
    """Their rating is what they scored, so no result lies beside it."""
    assert fit({("a", "b"): Tally(7, 1, 2)}).misfit is None
    assert fit({}).misfit is None


def test_a_pair_that_deals_is_unusual() -> None:
    """Of level players, one loses all games to a second; no other pair is named."""
    found = misfit_of(fit(club(ab=Tally(20, 0, 0), ba=Tally(0, 0, 20))))
    first = found.residuals[0]
    assert (first.players, first.games, first.points) == (("a", "b"), 40, 40)
    assert first.expected == pytest.approx(20, abs=2)
    assert [each.players for each in found.residuals if each.unusual] == [("a", "b")]


def test_the_one_with_more_points_than_expected_is_named_first() -> None:
    """Whichever name comes first in the alphabet."""
    found = misfit_of(fit(club(ab=Tally(0, 0, 20), ba=Tally(20, 0, 0))))
    assert found.residuals[0].players == ("b", "a")
    assert found.residuals[0].points == 40


def test_a_single_upset_is_not_unusual() -> None:
    """A win against a player that wins nearly always is what chance brings."""
    strong = {(name, "z"): Tally(0, 0, 20) for name in "abcde"}
    strong |= {("z", name): Tally(20, 0, 0) for name in "abcde"}
    found = misfit_of(fit(club() | strong | {("a", "z"): Tally(1, 0, 19)}))
    assert found.on_one_line
    assert not any(each.unusual for each in found.residuals)


def test_at_most_twenty_pairs_are_listed() -> None:
    """Those that differ most, in that order."""
    names = [f"bot{number}" for number in range(9)]
    found = misfit_of(fit(dict.fromkeys(permutations(names, 2), Tally(3, 0, 2))))
    assert len(found.residuals) == 20
    deviations = [each.deviations for each in found.residuals]
    assert deviations == sorted(deviations, reverse=True)


def test_anchors_may_lie_off_the_line() -> None:
    """Games of two anchors that contradict their ratings are a misfit."""
    level = {("a", "b"): Tally(20, 0, 20), ("b", "a"): Tally(20, 0, 20)}
    found = misfit_of(fit(level, anchors={"a": 1700.0, "b": 1300.0}))
    assert found.degrees == pytest.approx(1, abs=0.01)
    assert not found.on_one_line


DEAL = club(ab=Tally(20, 0, 0), ba=Tally(0, 0, 20))
LEAVING = Model(leave_out=True)


def test_games_of_an_unusual_pair_may_be_left_out() -> None:
    """All are level then, as by the other games alone, and the pair is named."""
    found = fit(DEAL, model=LEAVING)
    rest = fit({seats: tally for seats, tally in DEAL.items() if set(seats) != {"a", "b"}})
    for player in "abcde":
        assert found[player].elo == pytest.approx(rest[player].elo, abs=0.01)
        assert found[player].error == pytest.approx(rest[player].error, abs=0.01)
    assert [each.players for each in misfit_of(found).left_out] == [("a", "b")]
    told, left_out = misfit_of(found).sentences()
    assert told.startswith("Unusual pair: a has 40 of 40 points against b;")
    assert left_out == "All ratings leave out the games of a against b."
    assert misfit_of(found).on_one_line
    assert not misfit_of(fit(DEAL)).left_out


def test_as_many_pairs_are_left_out_as_are_unusual() -> None:
    """A second deal is found in the fit without the first."""
    second = DEAL | {("c", "d"): Tally(20, 0, 0), ("d", "c"): Tally(0, 0, 20)}
    left_out = misfit_of(fit(second, model=LEAVING)).left_out
    assert {each.players for each in left_out} == {("a", "b"), ("c", "d")}
    assert all(each.unusual for each in left_out)


def test_nothing_is_left_out_where_no_others_could_be_compared() -> None:
    """Of a circle of three the other two pairs would say nothing about one another."""
    found = misfit_of(fit(circle(18), model=LEAVING))
    assert any(each.unusual for each in found.residuals)
    assert not found.left_out


def test_the_divergence_of_a_sweep_is_that_of_heads() -> None:
    """A row of n heads of a fair coin has the chance 2⁻ⁿ, which the bound is."""
    assert divergence(1.0, 0.5) == pytest.approx(log(2))
    assert divergence(0.5, 0.5) == 0
