"""Many games under way, of which both sides are played from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import Board, Rules

from ..kernels import selfplay, steps
from ..kernels.layout import LANE_LOG2
from ..kernels.state import ExactTables
from .games import words_of
from .steps import ManyGames

RUNNING: Final = steps.RUNNING
ILLEGAL: Final = steps.ILLEGAL
MOST_PITS: Final = 7


class SelfPlayGames(ManyGames):
    """Games whose players both ask from outside; each is shown from its player to move.

    The rules have at most seven pits a row and no pie rule. ``movers`` (i64[games]) has the player
    to move; where a game is over, the one that moved last.
    """

    def __init__(self, rules: Rules, count: int) -> None:
        if rules.pits > MOST_PITS or rules.opens:
            raise ValueError(f"{rules} is not played in compiled code")
        super().__init__(rules, count)
        self._rules = rules
        self.movers = self._games.movers

    def seed(self, game: int, seed: int) -> None:
        """Set what the openings of a game follow from, from the next one on."""
        self._games.draws[game] = seed

    def deal(self, which: NDArray[np.int64], boards: Sequence[Board]) -> None:
        """Begin games anew, each from one of ``boards``, which are not over."""
        openings = np.array([words_of(board) for board in boards], dtype=np.uint64)
        selfplay.deal_games(self._variant, self._games, openings.reshape(-1), which)

    def place(self, seen: NDArray[np.int16]) -> None:
        """Set each game to a position that is not over, shown from its mover, who is player 0.

        ``seen`` is i16[games, 2, pits + 1], as the attribute has it.
        """
        lanes = np.arange(seen.shape[2], dtype=np.uint64) << np.uint64(LANE_LOG2)
        self._games.sides[:] = (seen.astype(np.uint64) << lanes).sum(axis=2).reshape(-1)
        self.movers[:], self.states[:] = 0, RUNNING
        self.seen[:], self.masks[:] = seen, seen[:, 0, :-1] > 0
        self.margins[:] = seen[:, 0, -1] - seen[:, 1, -1]

    def sow(self, which: NDArray[np.int64], pits: NDArray[np.int64]) -> None:
        """Sow ``pits[game]`` in each game of ``which`` that is running."""
        selfplay.sow_games(self._variant, self._games, which, pits)

    def values(self, tables: ExactTables) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return what each move is worth, from endgame tables, and where they cover the game.

        The values, i16[games, pits], are the store difference at the end for the player to move, 0
        where a pit may not be sown; the second is bool[games].
        """
        values = np.zeros(self.masks.shape, dtype=np.int16)
        known = np.zeros(len(self.states), dtype=np.int8)
        selfplay.value_moves(self._variant, tables, self._games, values.reshape(-1), known)
        return values, known.astype(bool)

    def copy(self) -> SelfPlayGames:
        """Return games of their own that stand as these do."""
        games = SelfPlayGames(self._rules, len(self.states))
        games.restore(self._games)
        return games

    def snapshot(self) -> steps.GameArrays:
        """Return a copy of the games as they stand, their generators included."""
        fields = self._games._asdict()
        return steps.GameArrays(**{name: field.copy() for name, field in fields.items()})

    def restore(self, snapshot: steps.GameArrays) -> None:
        """Take all games back to a snapshot of as many games under the same rules."""
        for name, field in self._games._asdict().items():
            field[:] = getattr(snapshot, name)
