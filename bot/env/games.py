"""Many games in compiled code, moved on by one call: what environments share, and self-play."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from mancala.protocol.rules import KALAH, Rules

from .start import Openings, boards_of, check_reward, drawn, pits_space, seeds_space

if TYPE_CHECKING:
    from mancala.engine.batches.selfplay import SelfPlayGames
    from mancala.engine.kernels.state import ExactTables
    from mancala.engine.kernels.steps import GameArrays


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
        self.rules = Rules.of(rules)
        self.num_envs = num_envs
        self._starts = boards_of(openings, self.rules)
        self._reward = check_reward(reward)
        self._illegal, self._running = ILLEGAL, RUNNING
        self.single_observation_space = seeds_space(self.rules)
        self.single_action_space = pits_space(self.rules)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
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
        NDArray[np.int16], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
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


class MancalaSelfPlayEnv(GamesEnv):
    """Games whose plies are all chosen by the caller, moved on by one call.

    A step sows one pit in each game for the player to move, ``info["player"]``, from whose side
    the game is shown. Observations are i16[games, 2, pits + 1]; ``action_masks()`` and
    ``info["action_mask"]`` are [games, pits]. The reward is that of the player who sowed, and the
    other one's is its negative; an illegal pit loses the game.

    Args:
        num_envs: number of games.
        rules: a variant, or its text; at most seven pits a row, without the pie rule.
        openings: where games begin; one is drawn for each. See `mancala.bot.env.start.Openings`.
        reward: ``result`` or ``margin``, as for `MancalaEnv`.
        autoreset: ``NEXT_STEP``: a game that is over begins anew with the next step, whose pit is
            not looked at and whose reward is 0. ``SAME_STEP``: it begins anew in the step that
            ends it, whose ``info["final_obs"]`` shows the end, from the side of the player who
            sowed, where ``info["_final_obs"]`` is set.
        exact_seeds: positions with at most this number of seeds are looked up in endgame
            tables, which are built if they are missing: ``info["values"]``, i16[games, pits], is
            what each move is worth, the store difference at the end for the player to move, where
            ``info["_values"]`` is set. 0 looks nothing up.

    Raises:
        ValueError: when there is no such opening or reward, autoreset is neither of the two, the
            rules are not played in compiled code, or they have no such tables.
    """

    _games: SelfPlayGames

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = KALAH,
        *,
        openings: Openings = "start",
        reward: str = "result",
        autoreset: AutoresetMode = AutoresetMode.NEXT_STEP,
        exact_seeds: int = 0,
    ) -> None:
        from mancala.engine.batches.selfplay import SelfPlayGames  # noqa: PLC0415  # loads the compiler

        super().__init__(num_envs, rules, openings, reward, autoreset)
        self._games = SelfPlayGames(self.rules, num_envs)
        self._tables = _tables_of(self.rules, exact_seeds) if exact_seeds else None
        self._all = np.arange(num_envs)
        for game, seed in enumerate(np.random.default_rng().integers(2**63, size=num_envs)):
            self._seed(game, int(seed))

    def clone(self) -> MancalaSelfPlayEnv:
        """Return an environment of its own with the same games, which go on alike."""
        clone = copy.copy(self)
        clone._games = self._games.copy()  # noqa: SLF001  # an object of this class
        return clone

    def get_state(self) -> GameArrays:
        """Return all games as they stand, for `set_state`; later steps do not change it."""
        return self._games.snapshot()

    def set_state(self, state: GameArrays) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """Take all games back to a state of this environment; return what ``reset`` returns."""
        self._games.restore(state)
        return self._games.seen.copy(), self._info()

    def place(self, seen: NDArray[np.int16]) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """Set each game to a position; return what ``reset`` returns.

        Args:
            seen: observations of games that are not over; the player to move is player 0 now.

        Raises:
            ValueError: when they are not of this number of games, or a row of pits is empty.
        """
        if seen.shape != self._games.seen.shape:
            raise ValueError(f"positions of shape {self._games.seen.shape}, not {seen.shape}")
        if not seen[:, :, :-1].any(axis=2).all():
            raise ValueError("a game whose row of pits is empty is over")
        self._games.place(seen)
        return self._games.seen.copy(), self._info()

    def _seed(self, game: int, seed: int) -> None:
        self._games.seed(game, seed)

    def _open(self, which: Iterable[int], options: dict[str, Any] | None) -> None:
        starts = self._starts
        if options and options.get("opening") is not None:
            starts = (drawn(starts, np.random.default_rng(), options),)
        self._games.deal(np.fromiter(which, dtype=np.int64), starts)

    def _sow(self, pits: NDArray[np.int64]) -> None:
        self._games.sow(self._all, pits)

    def _info(self) -> dict[str, Any]:
        present = np.ones(self.num_envs, dtype=bool)
        info = super()._info() | {"player": self._games.movers.copy(), "_player": present}
        if self._tables is not None:
            info["values"], info["_values"] = self._games.values(self._tables)
        return info


def _tables_of(rules: Rules, seeds: int) -> ExactTables:
    """Return endgame tables that reach as far as is asked for."""
    from mancala.engine import tablebase  # noqa: PLC0415  # loads the compiler
    from mancala.engine.search.engine import tables_for  # noqa: PLC0415  # loads the compiler

    tablebase.check(rules, seeds)
    return tables_for(rules, seeds=seeds)
