"""Many games of self-play as one Gymnasium vector environment: every ply is asked for."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mancala.protocol.rules import KALAH, Rules

from .games import GamesEnv
from .start import Openings, drawn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mancala.engine.batches.selfplay import SelfPlayGames
    from mancala.engine.kernels.state import ExactTables
    from mancala.engine.kernels.steps import GameArrays


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
    """Return endgame tables that reach as far as is asked for.

    Raises:
        ValueError: when the rules have none.
    """
    from mancala.engine import tablebase  # noqa: PLC0415  # loads the compiler
    from mancala.engine.search.engine import tables_for  # noqa: PLC0415  # loads the compiler

    tablebase.check(rules, seeds)
    return tables_for(rules, seeds=seeds)
