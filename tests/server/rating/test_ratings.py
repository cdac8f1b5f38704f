"""What a joint fit says of ranks and superiority."""

import numpy as np

from mancala.server.rating.ratings import RankRange, Rating, Ratings


def ratings(*elos: float, error: float = 20.0, shared: float = 0.0) -> Ratings:
    """Return ratings of a, b, c and so on; ``shared`` is the correlation of two errors."""
    players = tuple(
        Rating(name, elo, error, 10, 0.5) for name, elo in zip("abcdef", elos, strict=False)
    )
    correlation = np.full((len(elos), len(elos)), shared)
    np.fill_diagonal(correlation, 1.0)
    one_group, held = np.zeros(len(elos), int), np.zeros(len(elos))
    covariance = correlation * (error / 1.959964) ** 2
    return Ratings(players, 0.0, 0.0, 1.0, one_group, held, covariance)


def test_a_rank_ranges_over_those_that_cannot_be_told_apart() -> None:
    """Only a player that is stronger with 97.5 % certainty is surely above."""
    assert ratings(100, 90, 80, -50).rank_ranges() == {
        "a": RankRange(1, 3),
        "b": RankRange(1, 3),
        "c": RankRange(1, 3),
        "d": RankRange(4, 4),
    }


def test_errors_that_are_shared_do_not_blur_an_order() -> None:
    """A difference may be sure where neither rating is."""
    assert ratings(15, 0).rank_ranges()["a"] == RankRange(1, 2)
    assert ratings(15, 0, shared=0.95).rank_ranges()["a"] == RankRange(1, 1)


def test_the_best_can_be_compared_alone() -> None:
    """The first rows and columns of the whole comparison."""
    found = ratings(40, 30, 0)
    assert np.allclose(found.los(2), found.los()[:2, :2])
    assert found.los(9).shape == (3, 3)
    assert found.los()[0, 2] > found.los()[0, 1] > 0.5
