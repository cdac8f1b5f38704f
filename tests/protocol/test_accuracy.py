"""The absolute scale: proven losses alone, by phase, with an error that knows of games."""

from random import Random
from statistics import fmean, stdev

import pytest

from mancala.protocol import codec
from mancala.protocol.accuracy import Phase, PhaseAccuracy, Sums, figures, phase_of, sums_of
from mancala.protocol.messages import Assessment, MoveValue
from mancala.protocol.review import GameReview, ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import Board


def review_of(board: Board, values: dict[int, float], pit: int, depth: int | None) -> GameReview:
    best = max(values, key=values.__getitem__)
    moves = tuple(MoveValue(at, value, depth) for at, value in values.items())
    found = Assessment(0, moves, (best,), depth)
    return compose(ReviewedGame("g", [board], [pit], None), ReviewWork([found], 1, "test", 0.0))


def test_only_proven_losses_of_moves_with_a_choice_count() -> None:
    """An estimate and an only move say nothing."""
    board = Board.start()
    proven = review_of(board, {0: 2.0, 1: -2.0}, 1, None)
    first, second = sums_of(proven, [board])
    assert first == {Phase.ALL: Sums(1, 1, 0, 4, 1, 4, 16), Phase.OPENING: first[Phase.ALL]}
    assert second == {}
    assert sums_of(review_of(board, {0: 2.0, 1: -2.0}, 1, 9), [board])[0] == {}
    assert sums_of(review_of(board, {0: 2.0}, 0, None), [board])[0] == {}


def test_phases_are_thirds_of_the_seeds() -> None:
    """By what is left in the pits."""
    boards = [f"<3,{12 - half},{12 - half},{half},0,0,{half},0,0>" for half in (9, 8, 5, 4, 3)]
    phases = [phase_of(Board.from_text(text)) for text in boards]
    assert phases == [Phase.OPENING, Phase.MIDDLE, Phase.MIDDLE, Phase.END, Phase.END]


def test_a_game_adds_its_moves_and_their_squares() -> None:
    """Two moves of player 0, one without a loss; the position after the last does not count."""
    start = Board.start()
    again = start.sow(2).board
    moves = (MoveValue(2, 4.0, None), MoveValue(1, 0.0, None))
    found = [Assessment(0, moves, (2,), None), Assessment(1, moves, (2,), None)]
    played = ReviewedGame("g", [start, again], [2, 1], None)
    review = compose(played, ReviewWork(found, 1, "test", 0.0))
    sums, _ = sums_of(review, [start, again, again.sow(1).board])
    assert sums[Phase.ALL] == Sums(1, 2, 1, 4, 4, 8, 16)


def test_games_that_are_all_alike_leave_an_error() -> None:
    """Rounding never makes the variance negative; two games prove nothing for certain."""
    for moves in range(1, 40):
        game = Sums(1, moves, 0, 7, moves**2, 7 * moves, 49)
        found = figures(Phase.ALL, game.plus(game))
        assert found is not None
        assert found.loss_error is not None
        assert found.loss_error > 0


def test_figures_have_three_digits() -> None:
    """A third of the moves lost nothing."""
    assert Sums() == (0, 0, 0, 0, 0, 0, 0)
    found = figures(Phase.ALL, Sums(1, 3, 1, 2, 9, 6, 4))
    assert found == PhaseAccuracy(Phase.ALL, 1, 3, best=0.333, loss=0.667, loss_error=None)


def test_a_figure_cannot_be_changed() -> None:
    """It is published under the name of a bot."""
    assert PhaseAccuracy.__struct_config__.frozen


@pytest.mark.parametrize("best", [-0.1, 0.0, 1.0, 1.1])
def test_a_share_lies_between_none_and_all(best: float) -> None:
    """A document with another share is refused."""
    found = PhaseAccuracy(Phase.ALL, 1, 3, best=best, loss=1.0, loss_error=None)
    document = codec.to_json(found)
    if 0 <= best <= 1:
        assert codec.from_json(document, PhaseAccuracy) == found
        return
    with pytest.raises(codec.DecodeError, match="best"):
        codec.from_json(document, PhaseAccuracy)


def test_the_interval_covers_the_truth_though_moves_of_a_game_go_together() -> None:
    """In 95 % of many samples of games of unequal length and quality."""
    rng, covered, samples = Random(5), 0, 400
    truth = 1.0
    for _ in range(samples):
        total = Sums()
        for _ in range(40):
            quality, moves = rng.choice((0.5, 1.5)), rng.randint(5, 15)
            lost = [round(2 * rng.random() * quality * 10) for _ in range(moves)]
            count, seeds = moves * 10, sum(lost)
            total = total.plus(Sums(1, count, 0, seeds, count**2, count * seeds, seeds**2))
        found = figures(Phase.ALL, total)
        assert found is not None
        assert found.loss_interval is not None
        covered += found.loss_interval[0] <= truth <= found.loss_interval[1]
    assert 0.92 <= covered / samples <= 0.98


def test_with_games_of_one_length_the_error_is_that_of_a_mean_of_games() -> None:
    """The formula is the usual one in the usual case."""
    lost = [30, 0, 70, 10, 40] * 60
    total = Sums()
    for each in lost:
        total = total.plus(Sums(1, 10, 0, each, 100, 10 * each, each**2))
    found = figures(Phase.ALL, total)
    assert found is not None
    assert found.loss == pytest.approx(fmean(lost) / 10)
    assert found.loss_error == pytest.approx(1.96 * stdev(lost) / 10 / len(lost) ** 0.5, rel=0.02)


def test_without_moves_there_is_no_figure_and_with_one_game_no_error() -> None:
    """Nothing is claimed from nothing."""
    assert figures(Phase.END, Sums()) is None
    found = figures(Phase.END, Sums(1, 2, 1, 2, 4, 4, 4))
    assert found is not None
    assert (found.best, found.loss, found.loss_error) == (0.5, 1.0, None)


def test_what_is_taken_away_is_as_if_it_had_never_been_added() -> None:
    """A better review replaces a worse one in the sums."""
    one, other = Sums(1, 2, 1, 2, 4, 4, 4), Sums(1, 3, 3, 0, 9, 0, 0)
    assert one.plus(other).plus(other, -1) == one
