"""Many games under way, of which both sides are played from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import Board, Rules

from ..kernels import selfplay, state, steps
from ..kernels.layout import LANE_LOG2
from ..kernels.state import ExactTables
from .games import words_of

RUNNING: Final = steps.RUNNING
ILLEGAL: Final = steps.ILLEGAL
MOST_PITS: Final = 7


class SelfPlayGames:
    """Games whose players both ask from outside.

    Args:
        rules: at most seven pits a row, without the pie rule.
        count: number of games; none has begun.

    Attributes:
        seen: i16[games, 2, pits + 1], the mover's pits in sowing direction and its store, then the
            other player's.
        masks: i8[games, pits], 1 for each pit that the mover may sow; all 0 once a game is over.
        states: i64[games], `RUNNING`, `ILLEGAL` after a pit that could not be sown, or another
            number where the game is over.
        movers: i64[games], the player to move; where a game is over, the one that moved last.
        margins: i64[games], the mover's store less the other's, in seeds.

    Raises:
        ValueError: when the rules are none of these.
    """

    def __init__(self, rules: Rules, count: int) -> None:
        if rules.pits > MOST_PITS or rules.pie:
            raise ValueError(f"{rules} is not played in compiled code")
        self._rules = rules
        self._variant = state.variant(rules)
        self.seen: NDArray[np.int16] = np.zeros((count, 2, rules.pits + 1), dtype=np.int16)
        self.masks: NDArray[np.int8] = np.zeros((count, rules.pits), dtype=np.int8)
        self.states: NDArray[np.int64] = np.full(count, steps.OVER, dtype=np.int64)
        self.movers: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self.margins: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self._fields = selfplay.BothSides(
            sides=np.zeros(2 * count, dtype=np.uint64),
            movers=self.movers,
            states=self.states,
            seen=self.seen.reshape(-1),
            masks=self.masks.reshape(-1),
            margins=self.margins,
            draws=np.zeros(count, dtype=np.uint64),
        )

    def seed(self, game: int, seed: int) -> None:
        """Set what the openings of a game follow from, from the next one on."""
        self._fields.draws[game] = seed

    def deal(self, which: NDArray[np.int64], boards: Sequence[Board]) -> None:
        """Begin games anew, each from one of ``boards``, which are not over."""
        openings = np.array([words_of(board) for board in boards], dtype=np.uint64)
        selfplay.deal_games(self._variant, self._fields, openings.reshape(-1), which)

    def place(self, seen: NDArray[np.int16]) -> None:
        """Set each game to a position that is not over, shown from its mover, who is player 0.

        Args:
            seen: i16[games, 2, pits + 1], as the attribute has it.
        """
        lanes = np.arange(seen.shape[2], dtype=np.uint64) << np.uint64(LANE_LOG2)
        self._fields.sides[:] = (seen.astype(np.uint64) << lanes).sum(axis=2).reshape(-1)
        self.movers[:], self.states[:] = 0, RUNNING
        self.seen[:], self.masks[:] = seen, seen[:, 0, :-1] > 0
        self.margins[:] = seen[:, 0, -1] - seen[:, 1, -1]

    def sow(self, which: NDArray[np.int64], pits: NDArray[np.int64]) -> None:
        """Sow ``pits[game]`` in each game of ``which`` that is running."""
        selfplay.sow_games(self._variant, self._fields, which, pits)

    def values(self, tables: ExactTables) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return what each move is worth, from endgame tables.

        Returns:
            i16[games, pits], the store difference at the end for the player to move, 0 where a pit
            may not be sown; and bool[games], where the tables cover the game.
        """
        values = np.zeros(self.masks.shape, dtype=np.int16)
        known = np.zeros(len(self.states), dtype=np.int8)
        selfplay.value_moves(self._variant, tables, self._fields, values.reshape(-1), known)
        return values, known.astype(bool)

    def copy(self) -> SelfPlayGames:
        """Return games of their own that stand as these do."""
        games = SelfPlayGames(self._rules, len(self.states))
        games.restore(self._fields)
        return games

    def snapshot(self) -> selfplay.BothSides:
        """Return a copy of the games as they stand, their generators included."""
        fields = self._fields._asdict()
        return selfplay.BothSides(**{name: field.copy() for name, field in fields.items()})

    def restore(self, snapshot: selfplay.BothSides) -> None:
        """Take all games back to a snapshot of as many games under the same rules."""
        kept = snapshot._asdict()
        for name, field in self._fields._asdict().items():
            field[:] = kept[name]
