"""The bench of the joint fit, on a small ladder."""

from mancala.scripts.bench.serving.fit import CLOSE, measured, played


def test_the_bench_measures_time_memory_lag_and_error() -> None:
    """Every figure is there, and a hundred entrants need little memory."""
    figures = measured(100, 2000, CLOSE, seed=1)
    assert figures["memory_mb"] < 50
    assert figures["cold_seconds"] > 0
    assert figures["error_ratio"] < 0.5
    assert figures["pairs"] <= 1000


def test_games_are_played_in_pairs() -> None:
    """Both seats of a pair have the same number of games."""
    outcomes = played(20, 200, None, seed=1).columns().outcomes
    assert outcomes.sum() == 200
    assert (outcomes[0].sum(0) == outcomes[1].sum(0)).all()
