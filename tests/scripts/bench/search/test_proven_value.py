"""The drill that plays from the start: what it counts, and short games of it."""

from random import Random

import pytest

from mancala.bot.players.registry import make_player
from mancala.engine.search.engine import EngineOptions
from mancala.protocol.rules import Board, Rules
from mancala.scripts.bench.search.proven_value import GainTally, StartDrill, tally


def test_a_game_that_ends_a_seed_below_is_counted() -> None:
    """What is level with the proven value is not below it."""
    assert tally([0, 4, -1, 7]) == GainTally(games=4, below=1, worst=-1, mean=2.5)


def test_a_start_without_a_known_value_is_refused() -> None:
    """Nothing can be said of games from there."""
    start = Board.start(Rules(pits=6, seeds=8))
    with pytest.raises(ValueError, match="is not known"):
        StartDrill(start, 0.01, 8, EngineOptions(tables=10))


@pytest.mark.parametrize("seat", [0, 1])
def test_kalah_6_4_ends_with_its_value_or_better(seat: int) -> None:
    """The engine keeps +8 in the first seat and -8 in the second, in short games of the drill."""
    drill = StartDrill(Board.start(), 0.01, 8, EngineOptions(tables=16))
    opponent, rng = make_player("greedy"), Random(5)
    assert all(drill.gain(opponent, seat, rng) >= 0 for _ in range(5))
