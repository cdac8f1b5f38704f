"""The classic players as they are made from specs."""

from pathlib import Path

import pytest

from mancala.bot.players.registry import check_spec, make_player
from mancala.bot.players.spec import SpecError
from mancala.engine.classics.weighted import save
from mancala.protocol.player import Player
from mancala.protocol.rules import KALAH
from tests.engine.classics.positions import boards_of


def seeded(spec: str) -> Player:
    player = make_player(spec)
    player.new_game(1)
    return player


def test_alphabeta_weighs_the_engines_features_by_name(tmp_path: Path) -> None:
    """A weight given as it is by default changes nothing; those of a file change the play."""
    save({"my_seeds": 4.0, "their_seeds": -4.0}, tmp_path / "w.json", "by hand")
    file = str(tmp_path / "w.json")
    plain = seeded("alphabeta:my_chain_capture=0.4")
    default = seeded("alphabeta:evaluation=weighted")
    other = seeded(f"alphabeta:weights={file}")
    boards = boards_of(KALAH, seed=16, every=1)
    choices = [[player.choose(board).pit for board in boards] for player in (plain, default, other)]
    assert choices[0] == choices[1] != choices[2]


@pytest.mark.parametrize(
    "spec",
    [
        "alphabeta:order=evaluation,quiescence=6,secondary=2,singular=2",
        "alphabeta:evaluation=weighted,my_capture=0.5",
        "expectimax:minimax=0.8,foresight=2,utility=square,prune=1",
        "expectiminimax:slip=0.2",
    ],
)
def test_refinements_are_options(spec: str) -> None:
    """A player with them chooses a legal pit."""
    check_spec(spec)
    for board in boards_of(KALAH, seed=17, every=9):
        assert seeded(spec).choose(board).pit in board.legal()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("alphabeta:weights=/no/such", "weights=/no/such: No such file"),
        ("alphabeta:weights=default,evaluation=stores", "evaluation=weighted only"),
        ("expectimax:prune=1,evaluation=side", "evaluation=stores only"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_a_game(spec: str, said: str) -> None:
    """Checking a spec finds what making the player would find."""
    with pytest.raises(SpecError, match=said):
        check_spec(spec)
