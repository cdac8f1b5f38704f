"""What fitness should be made of, measured on the games of a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import typer
from typer.testing import CliRunner

from mancala.engine.tuning.cmaes_tuner import Generation, Trial
from mancala.protocol import codec
from mancala.scripts.bench.search import fitness


def margins(strengths: tuple[float, ...], *, seed: int = 2) -> fitness.Reals:
    """Make games up: 200 generations of candidates, 10 openings, 10 seeds of chance a game."""
    rng = np.random.default_rng(seed)
    chance = rng.normal(0.0, 10.0, (200, len(strengths), 10, 2))
    return np.round(np.array(strengths)[None, :, None, None] + chance)


def test_what_is_chance_alone_tells_nothing() -> None:
    """Candidates of equal strength agree with themselves in nothing."""
    assert abs(fitness.agreement(margins((0.0,) * 8), np.sign, seed=1)) < 0.05


def test_margins_tell_more_than_results_where_strength_moves_margins() -> None:
    """Every way sees a difference that is there, and the margin sees it best."""
    games = margins(tuple(map(float, range(-4, 5))))
    found = [fitness.agreement(games, way, seed=1) for way in fitness.WAYS.values()]
    assert 0.1 < found[0] < found[-1]


def test_the_games_of_a_run_are_read(tmp_path: Path) -> None:
    """All generations count, and one JSON object tells every way."""
    rng = np.random.default_rng(3)
    for number in range(3):
        games = rng.integers(-20, 20, (4, 4, 2)).tolist()
        trials = tuple(Trial((0.0,), tuple(map(tuple, played))) for played in games)
        path = tmp_path / f"generation-{number:05}.json"
        path.write_bytes(codec.to_json(Generation(number, trials)))
    assert fitness.margins_in(tmp_path).shape == (3, 4, 4, 2)


def test_a_folder_without_generations_is_named(tmp_path: Path) -> None:
    """The command fails instead of printing numbers of nothing."""
    app = typer.Typer()
    app.command()(fitness.main)
    result = CliRunner().invoke(app, [str(tmp_path)])
    assert result.exit_code == 2
    assert "holds no generation" in result.stderr
