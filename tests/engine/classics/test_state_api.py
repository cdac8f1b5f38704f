"""The game as dictionaries; the notebook on minimax, which uses it, is run in tests/docs."""

import copy

import pytest

from mancala.engine.classics import GameState, evaluate, legal_actions, new_game, step
from mancala.protocol.rules import PRESETS, Board, IllegalMoveError, InvalidPositionError, Rules


def test_a_new_game_has_the_notebook_s_shape() -> None:
    """Four seeds in each of twelve pits, empty stores, player 0 to move."""
    assert new_game() == {"pits": [[4] * 6, [4] * 6], "stores": [0, 0], "current_player": 0}


def test_a_step_leaves_the_state_it_was_given() -> None:
    """The next state is a new one; a re-turn keeps the player and pays the difference."""
    state = new_game()
    before = copy.deepcopy(state)
    after, reward, done = step(state, 2)
    assert state == before
    assert after == {"pits": [[4, 4, 0, 5, 5, 5], [4] * 6], "stores": [1, 0], "current_player": 0}
    assert (reward, done) == (1, False)


def test_the_last_step_sweeps_and_scores() -> None:
    """When a row is empty the rest goes to its owner, the reward is final, nothing is legal."""
    state: GameState = {
        "pits": [[0, 0, 0, 0, 0, 1], [0, 0, 3, 0, 0, 0]],
        "stores": [20, 24],
        "current_player": 0,
    }
    after, reward, done = step(state, 5)
    assert after["stores"] == [21, 27]
    assert (reward, done) == (-6, True)
    assert legal_actions(after) == []
    assert evaluate(after) == reward * (1 if after["current_player"] == 0 else -1)


def test_a_value_is_for_the_current_player() -> None:
    """The same pits are worth the opposite to the other one."""
    state, _, _ = step(new_game(), 5)
    other = copy.deepcopy(state)
    other["current_player"] = 1 - state["current_player"]
    assert evaluate(other) == -evaluate(state) != 0


@pytest.mark.parametrize("rules", [*PRESETS.values(), Rules(pits=3, seeds=2)], ids=str)
def test_other_rules_may_be_given(rules: Rules) -> None:
    """Every function takes the variant."""
    state = new_game(rules)
    assert legal_actions(state, rules) == list(Board.start(rules).legal())
    assert step(state, 0, rules)[0]["pits"][0][0] == 0
    assert evaluate(state, rules) == 0


def test_refuses_what_the_rules_refuse() -> None:
    """An empty pit and a board of the wrong size are errors, each with its name."""
    with pytest.raises(IllegalMoveError):
        step(step(new_game(), 2)[0], 2)
    with pytest.raises(InvalidPositionError):
        legal_actions(new_game(Rules(pits=3)))
