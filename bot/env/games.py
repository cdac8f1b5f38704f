"""What the vector environments share: many games in compiled code, moved on by one call."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from mancala.protocol.rules import Rules

from .start import Openings, boards_of, check_reward, pits_space, rules_of, seeds_space

if TYPE_CHECKING:
    from collections.abc import Iterable


class Games(Protocol):
    """Games as a vector environment sees them; see `mancala.engine.batches.selfplay`."""

    seen: NDArray[np.int16]
    masks: NDArray[np.int8]
    states: NDArray[np.int64]
    margins: NDArray[np.int64]


AUTORESETS: Final = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
"""``NEXT_STEP``: with the next step, whose pit is not looked at and whose reward is 0.
``SAME_STEP``: in the step that ends it, whose ``info["final_obs"]`` shows the end."""


class GamesEnv(VectorEnv[Any, Any, Any]):
    """Games of one length of row: their spaces, rewards and new beginnings."""

    _games: Games

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str,
        openings: Openings,
        reward: str,
        autoreset: AutoresetMode,
    ) -> None:
        from mancala.engine.batches.selfplay import ILLEGAL, RUNNING  # noqa: PLC0415  # loads the compiler

        if autoreset not in AUTORESETS:
            raise ValueError(f"autoreset is NEXT_STEP or SAME_STEP, not {autoreset}")
        self._autoreset = autoreset
        self.metadata = {"autoreset_mode": autoreset}
        self.rules = rules_of(rules)
        self.num_envs = num_envs
        self._starts = boards_of(openings, self.rules)
        self._reward = check_reward(reward)
        self._illegal, self._running = ILLEGAL, RUNNING
        self.single_observation_space = seeds_space(self.rules)
        self.single_action_space = pits_space(self.rules)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """Begin all games anew.

        Args:
            seed: of the first game, the next ones counting up from it; or one for each game. It
                decides what is drawn for that game and for those after it.
            options: ``opening``, a board or its text, for these games alone.
        """
        seeds = [seed + at for at in range(self.num_envs)] if isinstance(seed, int) else seed
        for game, each in enumerate(seeds or []):
            if each is not None:
                self._seed(game, each)
        self._open(range(self.num_envs), options)
        return self._games.seen.copy(), self._info()

    def step(
        self,
        actions: Any,  # noqa: ANN401  # any array of whole numbers
    ) -> tuple[
        NDArray[np.int16],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Sow a pit in every game; begin those that were over, or under ``SAME_STEP`` are now."""
        games = self._games
        were_over = games.states != self._running
        self._sow(np.asarray(actions, dtype=np.int64))
        over = (games.states != self._running) & ~were_over
        rewards = np.where(over, self._rewards(), 0.0)
        which, ends = np.flatnonzero(were_over), dict[str, Any]()
        if self._autoreset is AutoresetMode.SAME_STEP:
            which = np.flatnonzero(over)
            ends = {"final_obs": games.seen.copy(), "_final_obs": over} if over.any() else {}
        if which.size:
            self._open(which.tolist(), None)
        return games.seen.copy(), rewards, over, np.zeros_like(over), self._info() | ends

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which pits may be sown, bool[games, pits]; any where a game is over."""
        masks = self._games.masks.astype(bool)
        masks[self._games.states != self._running] = True
        return masks

    @abstractmethod
    def _seed(self, game: int, seed: int) -> None:
        """Set what is drawn for a game from now on."""

    @abstractmethod
    def _open(self, which: Iterable[int], options: dict[str, Any] | None) -> None:
        """Begin games anew."""

    @abstractmethod
    def _sow(self, pits: NDArray[np.int64]) -> None:
        """Sow a pit in every game that is running, i64[games]."""

    def _info(self) -> dict[str, Any]:
        present = np.ones(self.num_envs, dtype=bool)
        return {"action_mask": self._games.masks.copy(), "_action_mask": present}

    def _rewards(self) -> NDArray[np.float64]:
        games = self._games
        rewards = np.sign(games.margins).astype(np.float64)
        if self._reward == "margin":
            seeds = games.seen.sum(axis=(1, 2), dtype=np.int64)
            rewards = games.margins / np.maximum(seeds, 1)
        return np.where(games.states == self._illegal, -1.0, rewards)
