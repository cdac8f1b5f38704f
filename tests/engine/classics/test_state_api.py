"""The game as dictionaries, as the notebook on minimax uses it."""

from __future__ import annotations

import copy
import math

import pytest

from engine.classics import AlphaBetaPlayer, GameState, evaluate, legal_actions, new_game, step
from engine.classics.evaluation import side
from protocol.rules import (
    KALAH,
    PRESETS,
    Board,
    IllegalMoveError,
    InvalidPositionError,
    Rules,
    State,
)


def test_a_new_game_has_the_notebook_s_shape() -> None:
    """Four seeds in each of twelve pits, empty stores, player 0 to move."""
    assert new_game() == {"pits": [[4] * 6, [4] * 6], "stores": [0, 0], "current_player": 0}


def test_minimax_of_the_notebook_plays_its_game() -> None:
    """Depth 5 from the start visits 160,971 positions and plays pit 4, as printed there."""
    visits = [0]
    _, pit = notebook_minimax(new_game(), 5, 0, visits)
    assert (pit, visits) == (4, [160_971])


def test_the_notebook_s_game_goes_on() -> None:
    """After the replies 0 and 5 it plays pit 0 both times, at the same depth."""
    minimax = AlphaBetaPlayer(seed=1, depth=5, evaluate=side)
    state = new_game()
    for pit, reply in ((4, 0), (0, 5), (0, 4)):
        position = State(
            (tuple(state["pits"][0]), tuple(state["pits"][1])),
            (state["stores"][0], state["stores"][1]),
            state["current_player"],
        )
        assert minimax.choose(Board.from_state(position, KALAH)).pit == pit
        state = step(step(state, pit)[0], reply)[0]


def test_a_step_leaves_the_state_it_was_given() -> None:
    """The next state is a new one; a re-turn keeps the player and pays the difference."""
    state = new_game()
    before = copy.deepcopy(state)
    after, reward, done = step(state, 2)
    assert state == before
    assert after == {
        "pits": [[4, 4, 0, 5, 5, 5], [4] * 6],
        "stores": [1, 0],
        "current_player": 0,
    }
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


def notebook_minimax(
    state: GameState, depth: int, root: int, visits: list[int]
) -> tuple[float, int | None]:
    """Search as the notebook does: dictionaries, one fixed perspective, the first best pit."""
    visits[0] += 1
    actions = legal_actions(state)
    if depth == 0 or not actions:
        seen: GameState = {**state, "current_player": root}
        return evaluate(seen), None
    sign = 1 if state["current_player"] == root else -1
    best, best_action = -math.inf, actions[0]
    for action in actions:
        after, _, _ = step(state, action)
        passed = after["current_player"] != state["current_player"]
        value, _ = notebook_minimax(after, depth - passed, root, visits)
        if sign * value > best:
            best, best_action = sign * value, action
    return sign * best, best_action
