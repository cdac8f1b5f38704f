"""The joint fit: ratings with intervals, the worth of moving first, draws, anchors."""

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from mancala.server.model.game import RatedGame, Tally, tally
from mancala.server.rating.expected_score import draw_chances, seat_scores
from mancala.server.rating.fit import Model, Start, fit, fit_columns
from mancala.server.rating.pair_table import PairTable
from mancala.server.rating.ratings import Ratings
from tests.server.rating.dense_fit import dense_fit

Floats = NDArray[np.float64]
Tallies = dict[tuple[str, str], Tally]

NAMES = tuple("abcdefgh")


def chances(gap: float, draw_weight: float, advantage: float = 0.0) -> list[float]:
    """Return win, draw and loss of the first mover; both seats' mean score is logistic in Elo."""
    nats = np.array([gap * np.log(10) / 400])
    score = seat_scores(nats, advantage * np.log(10) / 400).first
    draw = float(draw_chances(score, draw_weight)[0])
    win = float(score[0]) - draw / 2
    return [win, draw, 1 - win - draw]


def play(
    elo: dict[str, float],
    games: int,
    rng: np.random.Generator,
    advantage: float = 80.0,
    draw_weight: float = 0.3,
) -> Tallies:
    return {
        (first, second): Tally(
            *map(
                int,
                rng.multinomial(games, chances(elo[first] - elo[second], draw_weight, advantage)),
            )
        )
        for first, second in permutations(elo, 2)
    }


def pool(rng: np.random.Generator, spread: float = 150.0) -> dict[str, float]:
    elo = rng.normal(0, spread, len(NAMES))
    return dict(zip(NAMES, 1500 + elo - elo.mean(), strict=True))


def covered(found: Ratings, elo: dict[str, float]) -> list[bool]:
    return [abs(found[name].elo - truth) <= found[name].error for name, truth in elo.items()]


def test_games_are_tallied_by_seat() -> None:
    """Outcomes are counted for the one who moved first, each order of seats by itself."""
    games = [
        RatedGame("a", "b", 0),
        RatedGame("a", "b", None),
        RatedGame("b", "a", 0),
        RatedGame("b", "a", 1),
    ]
    assert tally(games) == {("a", "b"): Tally(1, 1, 0), ("b", "a"): Tally(1, 0, 1)}


def test_a_game_against_oneself_is_refused() -> None:
    """A player is not rated by games against itself."""
    with pytest.raises(ValueError, match="itself"):
        fit({("a", "a"): Tally(1, 0, 0)})
    with pytest.raises(ValueError, match="itself"):
        RatedGame("a", "a", 0)


def test_a_winner_is_one_of_two() -> None:
    """The winner is player 0, player 1 or None."""
    with pytest.raises(ValueError, match="winner"):
        RatedGame("a", "b", 2)


def test_two_equals_differ_only_by_the_seat() -> None:
    """When the first mover wins three of four, both are equal and the seat is worth 191 Elo."""
    found = fit({("a", "b"): Tally(300, 0, 100), ("b", "a"): Tally(300, 0, 100)})
    assert found["a"].elo == pytest.approx(found["b"].elo)
    assert found.advantage == pytest.approx(400 * np.log10(3), abs=2)


def test_large_matches_give_the_textbook_difference() -> None:
    """A score of 64 % is worth 100 Elo, draws or not."""
    found = fit({("a", "b"): Tally(6400, 0, 3600), ("b", "a"): Tally(3600, 0, 6400)})
    assert found["a"].elo - found["b"].elo == pytest.approx(400 * np.log10(64 / 36), abs=1)
    assert found["a"].score == pytest.approx(0.64)
    assert found["a"].games == 20_000


def test_truth_is_recovered(rng: np.random.Generator) -> None:
    """Many games show all strengths, the worth of moving first and the rate of draws."""
    elo = pool(rng)
    found = fit(play(elo, 3000, rng))
    assert all(abs(found[name].elo - truth) < 12 for name, truth in elo.items())
    assert found.advantage == pytest.approx(80, abs=8)
    assert found.draw_weight == pytest.approx(0.3, abs=0.02)
    assert sum(found[name].elo for name in NAMES) / len(NAMES) == pytest.approx(1500)


def test_intervals_cover_the_truth(rng: np.random.Generator) -> None:
    """95 % intervals hold the truth in 93 to 97 of 100 cases, ratings and advantage alike."""
    hits, advantage_hits, events = [], 0, 500
    for _ in range(events):
        elo = pool(rng)
        found = fit(play(elo, 8, rng))
        hits += covered(found, elo)
        advantage_hits += abs(found.advantage - 80) <= found.advantage_error
    assert 0.93 <= np.mean(hits) <= 0.97
    assert 0.92 <= advantage_hits / events <= 0.98


def test_intervals_cover_the_truth_beside_anchors(rng: np.random.Generator) -> None:
    """With two anchors the intervals speak of the scale itself."""
    hits = []
    for _ in range(300):
        elo = pool(rng)
        anchors = {name: elo[name] for name in "ab"}
        found = fit(play(elo, 8, rng), anchors=anchors)
        rest = {name: truth for name, truth in elo.items() if name not in anchors}
        hits += covered(found, rest)
    assert 0.93 <= np.mean(hits) <= 0.97


def test_unbalanced_seats_do_not_bias(rng: np.random.Generator) -> None:
    """A bot that always moves first is not overrated for it."""
    gaps = []
    for _ in range(100):
        elo = dict.fromkeys("abc", 1500.0)
        games = play(elo, 60, rng, advantage=120)
        found = fit({seats: count for seats, count in games.items() if seats[1] != "a"})
        gaps.append(found["a"].elo - found["b"].elo)
    assert abs(np.mean(gaps)) < 12


def test_anchors_stay_where_they_are(rng: np.random.Generator) -> None:
    """An anchor keeps its rating and has no error; the others are placed around it."""
    elo = pool(rng)
    found = fit(play(elo, 400, rng), anchors={"a": 2000.0})
    assert (found["a"].elo, found["a"].error) == (2000.0, 0.0)
    shift = 2000.0 - elo["a"]
    assert all(abs(found[name].elo - elo[name] - shift) < 60 for name in NAMES)


@pytest.mark.parametrize("wins", [1, 20, 10_000])
def test_unbeaten_and_hopeless_bots_stay_finite(wins: int) -> None:
    """A player that only won is rated above the others, finitely and with a wide interval."""
    found = fit({("up", "a"): Tally(wins, 0, 0), ("a", "up"): Tally(0, 0, wins)})
    gap = found["up"].elo - found["a"].elo
    assert 0 < gap < 3500
    assert found["up"].error > gap / 10


def test_only_draws_and_no_draws_stay_finite() -> None:
    """A pool that only draws, or never draws, is rated like any other."""
    drawn, decided = (fit({("a", "b"): games}) for games in (Tally(0, 500), Tally(300, 0, 200)))
    assert 38 < drawn.draw_weight < np.inf
    assert 0 < decided.draw_weight < 0.02


def test_a_newcomer_has_the_widest_interval() -> None:
    """A name without games stands in the middle, known to nothing better than the prior."""
    found = fit({("a", "b"): Tally(10, 0, 5), ("b", "a"): Tally(6, 0, 9)}, players=["new"])
    assert found["new"].games == 0
    assert found["new"].elo == pytest.approx(1500, abs=1)
    assert found["new"].error == max(rating.error for rating in found.players)


def test_groups_that_never_met_are_not_compared() -> None:
    """Between two islands the likelihood of superiority stays near a half."""
    games = {("a", "b"): Tally(60, 0, 40), ("b", "a"): Tally(40, 0, 60)}
    games |= {("c", "d"): Tally(60, 0, 40), ("d", "c"): Tally(40, 0, 60)}
    found = fit(games)
    names = [rating.name for rating in found.players]
    los = found.los()
    assert los[names.index("a"), names.index("b")] > 0.8
    assert los[names.index("a"), names.index("c")] == pytest.approx(0.5, abs=0.05)


def test_no_players_and_one_alone() -> None:
    """An empty ladder has no ratings; a single bot has the prior's."""
    assert fit({}).players == ()
    alone = fit({}, players=["a"])["a"]
    assert (alone.elo, alone.score) == (1500, 0.5)
    assert alone.error > 1000


def test_the_centre_may_be_chosen() -> None:
    """Without anchors the mean of all ratings is the model's centre."""
    found = fit({("a", "b"): Tally(10, 2, 5)}, model=Model(centre=0))
    assert found["a"].elo + found["b"].elo == pytest.approx(0)


def test_superiority_is_a_matrix_of_chances(rng: np.random.Generator) -> None:
    """Each chance and its opposite make 1; the strongest stand first."""
    found = fit(play(pool(rng), 20, rng))
    los = found.los()
    assert np.allclose(los + los.T, 1)
    assert np.allclose(los.diagonal(), 0.5)
    assert (los[np.triu_indices(len(NAMES), 1)] >= 0.5).all()


def test_superiority_is_calibrated(rng: np.random.Generator) -> None:
    """Of the pairs said to be in order with 80 to 95 %, about that share is in order."""
    claimed, true = [], []
    for _ in range(150):
        elo = pool(rng, spread=60)
        found = fit(play(elo, 6, rng))
        order = [elo[rating.name] for rating in found.players]
        for row, column in zip(*np.triu_indices(len(NAMES), 1), strict=True):
            claimed.append(found.los()[row, column])
            true.append(order[row] > order[column])
    said = np.array(claimed)
    band = (said > 0.8) & (said < 0.95)
    assert np.array(true)[band].mean() == pytest.approx(said[band].mean(), abs=0.06)


def test_the_order_of_games_does_not_matter(rng: np.random.Generator) -> None:
    """The same games in another order give the same ratings."""
    games = play(pool(rng), 5, rng)
    backwards = dict(reversed(games.items()))
    for here, there in zip(fit(games).players, fit(backwards).players, strict=True):
        assert here.name == there.name
        assert here.elo == pytest.approx(there.elo, abs=1e-6)


def test_two_hundred_players_are_fitted(rng: np.random.Generator) -> None:
    """A large ladder with few games a pair is no harder than a small one."""
    elo = {f"bot{number}": float(rating) for number, rating in enumerate(rng.normal(0, 300, 200))}
    names = list(elo)
    games: Tallies = {}
    for _ in range(4000):
        first, second = rng.choice(200, 2, replace=False)
        seats = names[first], names[second]
        outcome = rng.multinomial(1, chances(elo[seats[0]] - elo[seats[1]], 0.2))
        games[seats] = Tally(*(map(int, outcome + np.array(games.get(seats, (0, 0, 0))))))
    found = fit(games, players=names)
    rated = np.array([found[name].elo for name in names])
    assert np.corrcoef(rated, list(elo.values()))[0, 1] > 0.95


def sparse_games(rng: np.random.Generator, players: int, games: int) -> Tallies:
    """Return games of random pairs, of unequal strength and from unequal seats."""
    found: Tallies = {}
    for _ in range(games):
        first, second = (int(number) for number in rng.choice(players, 2, replace=False))
        outcome = rng.multinomial(1, chances(10.0 * (first - second), 0.3, 40))
        seats = f"bot{first}", f"bot{second}"
        found[seats] = Tally(*(map(int, outcome + np.array(found.get(seats, (0, 0, 0))))))
    return found


@pytest.mark.parametrize("anchors", [{}, {"bot3": 1800.0, "bot4": 1700.0}])
def test_the_fit_equals_that_by_dense_matrices(
    rng: np.random.Generator, anchors: dict[str, float]
) -> None:
    """Ratings agree to a millionth, half-widths to a ten-thousandth, draws to a thousandth."""
    games = sparse_games(rng, 40, 400)
    found, expected = (
        fit(games, players=["new"], anchors=anchors),
        dense_fit(games, players=["new"], anchors=anchors),
    )
    for rating in found.players:
        assert rating.elo == pytest.approx(expected.elo[rating.name], abs=1e-6)
        assert rating.error == pytest.approx(expected.error[rating.name], rel=1e-4)
    assert found.advantage == pytest.approx(expected.advantage, abs=1e-6)
    assert found.advantage_error == pytest.approx(expected.advantage_error, rel=1e-4)
    assert found.draw_weight == pytest.approx(expected.draw_weight, rel=1e-3)


def test_islands_and_rare_meetings_equal_the_fit_by_dense_matrices() -> None:
    """Ten thousand games of one pair beside one game of another lose no digits."""
    games = {("a", "b"): Tally(6000, 10, 3990), ("c", "d"): Tally(1, 0, 0), ("d", "e"): Tally(0, 1)}
    expected = dense_fit(games)
    for rating in fit(games).players:
        assert rating.elo == pytest.approx(expected.elo[rating.name], abs=1e-6)
        assert rating.error == pytest.approx(expected.error[rating.name], rel=1e-4)


@pytest.mark.parametrize("exact_players", [100, 0])
@pytest.mark.parametrize("anchors", [{}, {"a": 1700.0}])
def test_strangers_do_not_widen_intervals(
    rng: np.random.Generator, anchors: dict[str, float], exact_players: int
) -> None:
    """A group that never meets the others changes none of their intervals by a fiftieth."""
    games = play(pool(rng), 20, rng)
    strangers = {
        (f"guest-{first}", f"guest-{second}"): count
        for (first, second), count in play(pool(rng), 2, rng).items()
    }
    alone = fit(games, anchors=anchors)
    beside = fit_columns(
        PairTable(games | strangers).columns(), anchors=anchors, exact_players=exact_players
    )
    guests = fit(strangers)  # with a zero of their own, also beside an anchor
    assert beside["guest-a"].error == pytest.approx(guests["guest-a"].error, rel=0.1)
    for rating in alone.players:
        assert beside[rating.name].error == pytest.approx(rating.error, rel=0.02)
        assert beside[rating.name].elo == pytest.approx(rating.elo, abs=5)


@pytest.mark.parametrize("exact_players", [100, 0])
def test_only_the_prior_compares_groups(rng: np.random.Generator, exact_players: int) -> None:
    """The best of one group is not surely above any of another, whatever the fit's size."""
    games = play(pool(rng), 20, rng)
    games |= {(first + first, second + second): count for (first, second), count in games.items()}
    found = fit_columns(PairTable(games).columns(), exact_players=exact_players)
    names = [rating.name for rating in found.players]
    los = found.los()
    best, other = names[0], next(name for name in reversed(names) if len(name) != len(names[0]))
    same = next(name for name in reversed(names) if len(name) == len(best))
    assert los[0, names.index(same)] > 0.999
    assert los[0, names.index(other)] < 0.999


def test_the_start_changes_no_rating(rng: np.random.Generator) -> None:
    """A fit from wrong ratings climbs to the same peak."""
    games = sparse_games(rng, 30, 600)
    cold = fit(games)
    wrong = Start({rating.name: 3000 - rating.elo for rating in cold.players}, -50.0)
    warm = fit_columns(PairTable(games).columns(), start=wrong)
    for rating in cold.players:
        assert warm[rating.name].elo == pytest.approx(rating.elo, abs=1e-6)


@pytest.mark.parametrize("anchors", [{}, {"bot3": 1800.0, "bot150": 2500.0}])
def test_estimated_half_widths_are_close_to_exact_ones(
    rng: np.random.Generator, anchors: dict[str, float]
) -> None:
    """Beyond the size that is inverted, half-widths are right to a few per cent."""
    columns = PairTable(sparse_games(rng, 200, 8000)).columns()
    exact, estimated = (
        fit_columns(columns, anchors=anchors, exact_players=most) for most in (200, 0)
    )
    assert estimated.covariance is None
    ratios = np.array(
        [estimated[player.name].error / max(player.error, 1e-9) for player in exact.players]
    )
    assert np.abs(ratios[[player.error > 0 for player in exact.players]] - 1).mean() < 0.05
    assert all(estimated[name].error == 0 for name in anchors)
    assert estimated.advantage_error == pytest.approx(exact.advantage_error, rel=0.01)
    assert np.allclose(estimated.los() + estimated.los().T, 1)


@pytest.mark.parametrize("exact_players", [100, 0])
def test_intervals_speak_of_the_mean_of_the_references(
    rng: np.random.Generator, exact_players: int
) -> None:
    """With one reference a rating is its lead over this one, and so is its error, for any fit."""
    elo = {f"p{number}": float(rng.normal(0, 100)) for number in range(70)}
    columns = PairTable(play(elo, 2, rng)).columns()
    found = fit_columns(columns, references={"p0"}, exact_players=exact_players)
    plain = fit_columns(columns)
    assert found["p0"].elo == pytest.approx(1500)
    assert found["p0"].error == pytest.approx(0, abs=1)
    lead = plain["p1"].elo - plain["p0"].elo
    assert found["p1"].elo - 1500 == pytest.approx(lead)
    place = {rating.name: number for number, rating in enumerate(plain.players)}
    assert plain.covariance is not None
    one, other = place["p0"], place["p1"]
    variance = plain.covariance[one, one] + plain.covariance[other, other]
    variance -= 2 * plain.covariance[one, other]
    assert found["p1"].error == pytest.approx(1.96 * variance**0.5, rel=0.1)
