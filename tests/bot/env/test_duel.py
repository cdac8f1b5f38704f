"""Both players as PettingZoo agents."""

import warnings
from random import Random

import numpy as np
import pytest

from mancala.bot.env import MancalaDuel, env
from mancala.protocol.rules import PRESETS, Board, IllegalMoveError

with warnings.catch_warnings():  # PettingZoo's own, of a game that its tests import
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

RULES = [*PRESETS, "kalah:pits=3,seeds=2"]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.filterwarnings("ignore::UserWarning")  # advice on spaces, not errors
def test_pettingzoos_own_tests_pass(rules: str) -> None:
    """Whatever learns on PettingZoo environments learns on this one."""
    api_test(env(rules), num_cycles=300)
    seed_test(lambda: env(rules), num_cycles=100)


@pytest.mark.parametrize("rules", RULES)
def test_a_game_follows_the_rules(rules: str) -> None:
    """Turns, masks and observations are those of the rules, move by move, and the values add up."""
    rng, duel = Random(1), MancalaDuel(rules)
    for _ in range(5):
        duel.reset()
        board = Board.start(duel.rules)
        while not board.is_over:
            assert duel.agent_selection == f"player_{board.player}"
            seen = duel.observe(duel.agent_selection)
            assert tuple(np.flatnonzero(seen["action_mask"])) == board.legal()
            assert tuple(seen["observation"][0, :-1]) == board.pits[board.player]
            assert not duel.observe(f"player_{1 - board.player}")["action_mask"].any()
            pit = rng.choice(board.legal())
            duel.step(pit)
            board = board.sow(pit).board
        value = np.sign(board.score())
        assert duel.rewards == {"player_0": value, "player_1": -value}
        assert all(duel.terminations.values())


def test_an_illegal_move_is_the_callers_mistake_or_a_loss() -> None:
    """The bare environment refuses it, the usual one lets it lose."""
    duel = MancalaDuel("kalah:pits=3,seeds=2")
    duel.reset()
    duel.step(1)
    with pytest.raises(IllegalMoveError):
        duel.step(1)
    usual = env("kalah:pits=3,seeds=2")
    usual.reset()
    usual.step(1)
    usual.step(1)
    assert usual.rewards["player_0"] == -1


def test_the_board_can_be_shown_as_text() -> None:
    """``ansi`` gives the drawing that a board prints."""
    duel = MancalaDuel(render_mode="ansi")
    duel.reset()
    assert duel.render() == str(Board.start())
    assert MancalaDuel().render() is None


def test_games_begin_from_openings_and_may_pay_the_margin() -> None:
    """The options are those of the environment for one player."""
    text = "<6,3,2,0,0,5,5,5,5,1,4,4,4,5,5>"
    duel = MancalaDuel(openings="fair", reward="margin", render_mode="rgb_array")
    boards = set()
    for seed in range(6):
        duel.reset(seed=seed)
        boards.add(duel.board.text)
    assert len(boards) > 1
    duel.reset(options={"opening": text})
    assert duel.board == Board.from_text(text)
    assert duel.render().shape == (270, 720, 3)
    while not duel.board.is_over:
        duel.step(duel.board.legal()[0])
    margin = duel.board.score() / duel.board.total
    assert duel.rewards == {"player_0": margin, "player_1": -margin}
