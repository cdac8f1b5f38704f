"""Many games at the same time as one vectorised environment of Stable-Baselines3.

It needs the package ``stable_baselines3``, which no extra brings::

    from sb3_contrib import MaskablePPO
    from mancala.sb3 import MancalaSb3Env

    model = MaskablePPO("MlpPolicy", MancalaSb3Env(64, opponent="greedy"))
    model.learn(150_000)
    model.save("model.zip")
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from .vector import MancalaVectorEnv


class MancalaSb3Env(VecEnv):  # type: ignore[misc]  # of a package that is not in the lock
    """Games against an opponent, as many as are wanted, moved on by one call.

    Observations are i16[games, 2, pits + 1], rewards f32[games]. A game that is over begins anew in
    the step that ends it; ``terminal_observation`` in its info shows the end. ``MaskablePPO`` finds
    the masks by itself. What ``set_options`` is given goes to the next reset, as do the seeds.

    Args:
        num_envs: number of games.
        options: as for `MancalaVectorEnv`: ``opponent``, ``rules``, ``seat``, ``openings``,
            ``reward``.

    Raises:
        ValueError: when there is no such option's value.
    """

    def __init__(self, num_envs: int, **options: Any) -> None:  # noqa: ANN401  # those of another class
        self.games = MancalaVectorEnv(num_envs, autoreset=AutoresetMode.SAME_STEP, **options)
        self._pits: NDArray[np.int64] = np.zeros(num_envs, dtype=np.int64)
        super().__init__(
            num_envs, self.games.single_observation_space, self.games.single_action_space
        )

    def reset(self) -> NDArray[np.int16]:
        """Begin all games anew, with the seeds and options set before; return the observations.

        Raises:
            ValueError: when the options are not the same for all games.
        """
        options = self._options[0]
        if any(each != options for each in self._options):
            raise ValueError("the options of a reset are the same for all games")
        seen, _ = self.games.reset(seed=list(self._seeds), options=options)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return seen

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the pits, one for each game, that ``step_wait`` sows."""
        self._pits = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Sow, let the opponents answer, and begin games that are over anew."""
        seen, rewards, over, _, info = self.games.step(self._pits)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(over).tolist():
            infos[game] = {
                "terminal_observation": info["final_obs"][game],
                "TimeLimit.truncated": False,
            }
        return seen, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        """Close the games."""
        self.games.close()

    def env_method(
        self,
        method_name: str,
        *_args: Any,  # noqa: ANN401  # as in the base class
        indices: int | Iterable[int] | None = None,
        **_options: Any,  # noqa: ANN401  # as in the base class
    ) -> list[Any]:
        """Return for each game what the method returns; there is ``action_masks``, bool[pits]."""
        if method_name != "action_masks":
            raise AttributeError(f"a game has the method action_masks, not {method_name}")
        masks = self.games.action_masks()
        return [masks[game] for game in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return an attribute of the games, which all have in common."""
        value = getattr(self.games, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(
        self,
        attr_name: str,
        value: Any,  # noqa: ANN401, ARG002  # as in the base class
        indices: int | Iterable[int] | None = None,  # noqa: ARG002  # as in the base class
    ) -> None:
        """Refuse: games are set when they are made."""
        raise AttributeError(f"{attr_name} is set when the games are made")

    def env_is_wrapped(
        self,
        wrapper_class: type[Any],  # noqa: ARG002  # as in the base class
        indices: int | Iterable[int] | None = None,
    ) -> list[bool]:
        """Return False for each game: none is an environment of its own."""
        return [False for _ in self._get_indices(indices)]
