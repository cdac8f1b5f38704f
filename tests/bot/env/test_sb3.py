"""The environment for Stable-Baselines3, over a base class that stands in for its own."""

import importlib
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mancala.bot.env import MancalaVectorEnv
from mancala.bot.players.seen import view
from mancala.protocol.rules import Board

ENDING = "<6,20,20,0,0,0,0,0,1,2,2,1,1,1,0>"


class StandInVecEnv:
    """What `MancalaSb3Env` takes from ``stable_baselines3.common.vec_env.VecEnv``."""

    def __init__(self, num_envs: int, observation_space: object, action_space: object) -> None:
        self.num_envs = num_envs
        self.observation_space, self.action_space = observation_space, action_space
        self._reset_seeds()
        self._reset_options()
        self.render_mode = self.get_attr("render_mode")[0]

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        raise NotImplementedError

    def seed(self, seed: int) -> None:
        self._seeds: list[int | None] = [seed + game for game in range(self.num_envs)]

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any]) -> None:
        self._options = options if isinstance(options, list) else [options] * self.num_envs

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, ...]:
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        raise NotImplementedError

    def step_wait(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _reset_seeds(self) -> None:
        self._seeds = [None] * self.num_envs

    def _reset_options(self) -> None:
        self._options = [{}] * self.num_envs

    def _get_indices(self, indices: int | Iterable[int] | None) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else indices


@pytest.fixture(name="env_class")
def env_class_(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Any]]:
    names = ["stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules[names[-1]].__dict__["VecEnv"] = StandInVecEnv
    yield importlib.import_module("mancala.bot.env.sb3").MancalaSb3Env
    del sys.modules["mancala.bot.env.sb3"]


def test_its_games_are_those_of_the_vector_environment(env_class: type[Any]) -> None:
    """The same seed and pits show the same games, masks, rewards and ends."""
    env = env_class(5, opponent="greedy", reward="margin")
    env.seed(3)
    seen = env.reset()
    twin = MancalaVectorEnv(5, "greedy", reward="margin", autoreset=AutoresetMode.SAME_STEP)
    expected, info = twin.reset(seed=3)
    rng, ended = np.random.default_rng(1), 0
    for _ in range(100):
        assert (seen == expected).all()
        masks = np.stack(env.env_method("action_masks"))
        assert (masks == info["action_mask"]).all()
        pits = np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)
        seen, rewards, over, infos = env.step(pits)
        expected, scores, ends, _, info = twin.step(pits)
        assert rewards.dtype == np.float32
        assert rewards.tolist() == scores.astype(np.float32).tolist()
        assert over.tolist() == ends.tolist()
        assert [bool(each) for each in infos] == over.tolist()
        ended += over.sum()
    assert ended > 5


def test_the_end_of_a_game_is_its_terminal_observation(env_class: type[Any]) -> None:
    """The next game is on the board already, and nothing was truncated."""
    env = env_class(2, seat="first")
    env.set_options({"opening": ENDING})
    env.reset()
    seen, rewards, over, infos = env.step(np.array([5, 5]))
    assert over.all()
    assert rewards.tolist() == [-1.0, -1.0]
    end = Board.from_text(ENDING).sow(5).board
    for info in infos:
        assert (info["terminal_observation"] == view(end, 0)).all()
        assert info["TimeLimit.truncated"] is False
    assert (seen[:, 0, :-1] == 4).all()
    assert (env.reset()[:, 0, :-1] == 4).all()  # the options were those of one reset


def test_games_of_a_reset_have_the_same_options(env_class: type[Any]) -> None:
    """Others are refused rather than left out."""
    env = env_class(2)
    env.set_options([{"opening": ENDING}, {}])
    with pytest.raises(ValueError, match="the same for all games"):
        env.reset()


def test_attributes_and_methods_are_those_of_games(env_class: type[Any]) -> None:
    """Some can be asked for, one by one; none can be set."""
    env = env_class(3)
    env.reset()
    assert len(env.env_method("action_masks", indices=[0, 2])) == 2
    assert env.env_method("action_masks", indices=1)[0].shape == (6,)
    assert [str(rules) for rules in env.get_attr("rules")] == ["kalah"] * 3
    assert env.env_is_wrapped(object) == [False] * 3
    with pytest.raises(AttributeError, match="action_masks, not render"):
        env.env_method("render")
    with pytest.raises(AttributeError, match="nothing"):
        env.get_attr("nothing")
    with pytest.raises(AttributeError, match="rules is set when the games are made"):
        env.set_attr("rules", "kalah")
    env.close()
