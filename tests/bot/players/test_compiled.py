"""Which players play whole games in compiled code."""

import pytest

from mancala.bot.players.compiled import batch_of, compiled_player, is_quick
from mancala.bot.players.spec import SpecError
from mancala.protocol.rules import KALAH, OWARE, Board, Rules


@pytest.mark.parametrize(
    "spec",
    [
        "random",
        "greedy",
        "captures",
        "defend",
        "minimax",
        "minimax:depth=2,evaluation=side",
        "alphabeta:depth=4,order=worst",
        "engine:nodes=100",
        "engine:nodes=2048,depth=6",
    ],
)
def test_players_bound_by_nodes_or_depth_are_compiled(spec: str) -> None:
    """Their choices depend on the board and a seed alone."""
    assert compiled_player(spec, KALAH) is not None


@pytest.mark.parametrize(
    "spec",
    [
        "engine",
        "engine:movetime=0.1,nodes=100",
        "engine:depth=4",
        "engine:nodes=5000",
        "engine:level=3",
        "mcts:playouts=10",
        "expectimax:depth=2",
        "minimax:evaluation=weighted",
        "alphabeta:quiescence=2",
        "cmd:cat",
        "alphabeta:order=evaluation",
        "alphabeta:ties=bounds",
        "minimax:count=sowings",
    ],
)
def test_all_others_keep_the_referee(spec: str) -> None:
    """Players with a clock, with other sources, or outside of the process."""
    assert compiled_player(spec, KALAH) is None


def test_quick_players_are_the_strategies_as_they_are() -> None:
    """Those that search or draw on options take milliseconds in plain Python."""
    written = ("random", "defend", "minimax:depth=1", "engine:nodes=1", "cmd:cat")
    assert [is_quick(spec) for spec in written] == [True, True, False, False, False]


@pytest.mark.parametrize("rules", [Rules(pits=8), OWARE], ids=str)
def test_games_that_are_not_compiled_keep_the_referee(rules: Rules) -> None:
    """A side of more than seven pits takes two words; positions of Oware repeat."""
    assert compiled_player("random", rules) is None


def test_a_spec_that_names_no_player_is_refused() -> None:
    """The error is that of every other use of a spec."""
    with pytest.raises(SpecError, match="no player named"):
        compiled_player("nosuch", KALAH)


def test_two_compiled_players_play_a_batch() -> None:
    """What they are made into plays games from the openings given."""
    first, second = compiled_player("random", KALAH), compiled_player("greedy", KALAH)
    assert first is not None
    assert second is not None
    games = batch_of(first, second).play([Board.start()] * 3, [(1, 2), (3, 4), (1, 2)])
    assert all(game is not None for game in games)
    assert [game.pits for game in games if game][0::2] == [games[0].pits] * 2 if games[0] else False
