"""The adapters under the packages themselves, which no extra brings.

``make learners`` installs OpenSpiel and Stable-Baselines3 in an environment of their own and runs
this file there; the suite has the adapters over stand-ins (``test_spiel.py``, ``test_sb3.py``).
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray
from open_spiel.python.algorithms import evaluate_bots, mcts
from open_spiel.python.tests import games_sim_test
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor

from mancala.env import MancalaEnv, points
from mancala.protocol.rules import KALAH, Board
from mancala.sb3 import MancalaSb3Env
from mancala.spiel import NAME, ArenaBot, board_of
from tests.seeds import seed


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"pits": 4, "seeds": 3},
        {"capture": "always"},
        {"seeds": 6, "relap": True, "majority": True},
    ],
)
def test_openspiel_plays_the_game_at_random(parameters: dict[str, Any]) -> None:
    """Its own test of a game: copies, histories, serialised states, observations."""
    pyspiel.random_sim_test(
        pyspiel.load_game(NAME, parameters), num_sims=20, serialize=True, verbose=False
    )


def test_the_game_passes_openspiels_test_of_games_in_python() -> None:
    """The one that its continuous integration runs for each game it knows."""
    games_sim_test.GamesSimTest().sim_game(pyspiel.load_game(NAME))


def test_the_game_is_openspiels_mancala() -> None:
    """200 random games have the same legal actions, players and results, ply by ply."""
    rng = random.Random(seed())
    for _ in range(200):
        ours = pyspiel.load_game(NAME).new_initial_state()
        theirs = pyspiel.load_game("mancala").new_initial_state()
        while not ours.is_terminal():
            assert ours.legal_actions() == theirs.legal_actions()
            assert board_of(theirs) == ours.position.board
            action = rng.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)
        assert theirs.is_terminal()
        assert ours.returns() == theirs.returns()


def test_a_player_of_ours_meets_a_bot_of_openspiels() -> None:
    """Each takes its turns, and the results add up to nothing."""
    game, rng = pyspiel.load_game(NAME, {"pits": 4, "seeds": 3}), np.random.RandomState(1)
    searcher = mcts.MCTSBot(game, 2, 20, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    results = evaluate_bots.evaluate_bots(
        game.new_initial_state(), [searcher, ArenaBot("greedy")], rng
    )
    assert sum(results) == 0
    state = pyspiel.load_game("mancala").new_initial_state()
    assert ArenaBot("captures").step(state) in state.legal_actions()
    assert board_of(state) == Board.start(KALAH)


@pytest.mark.filterwarnings("ignore:Your observation .* has an unconventional shape")
def test_stable_baselines3_accepts_one_game() -> None:
    """Its checker has nothing against it, but that two rows of pits are not one."""
    check_env(MancalaEnv("greedy"), skip_render_check=True)


def test_masked_ppo_learns_from_many_games() -> None:
    """After 40,000 steps it takes far more points from a random player than before."""
    env = VecMonitor(VecCheckNan(MancalaSb3Env(64, opponent="random"), raise_exception=True))
    model = MaskablePPO("MlpPolicy", env, n_steps=64, seed=1, device="cpu")

    def policy(seen: NDArray[np.int16], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        pits: NDArray[np.int64] = model.predict(seen, action_masks=masks, deterministic=True)[0]
        return pits

    before = points(policy, "random")
    model.learn(40_000)
    assert points(policy, "random") > before + 0.15
