"""Many games under way against one compiled opponent, moved on together; for learners."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.rules import Board, Rules

from ..kernels import state, steps
from .games import CompiledPlayer, words_of

OVER: Final = steps.OVER
ILLEGAL: Final = steps.ILLEGAL


class StuckError(RuntimeError):
    """A choice of the opponent takes too long to be made here."""


class ManyGames:
    """Games under way; none has begun.

    Attributes:
        seen: i16[games, 2, pits + 1], the pits of the player to move in sowing direction and its
            store, then the other player's.
        masks: i8[games, pits], 1 for each pit that it may sow; all 0 once a game is over.
        states: i64[games], 0 while a game goes on, `ILLEGAL` after a pit that could not be sown, or
            another number where it is over.
        margins: i64[games], its store less the other's, in seeds.
    """

    def __init__(self, rules: Rules, count: int) -> None:
        self.seen: NDArray[np.int16] = np.zeros((count, 2, rules.pits + 1), dtype=np.int16)
        self.masks: NDArray[np.int8] = np.zeros((count, rules.pits), dtype=np.int8)
        self.states: NDArray[np.int64] = np.full(count, OVER, dtype=np.int64)
        self.margins: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self._variant = state.variant(rules)
        self._games = steps.GameArrays(
            sides=np.zeros(2 * count, dtype=np.uint64),
            movers=np.zeros(count, dtype=np.int64),
            states=self.states,
            seen=self.seen.reshape(-1),
            masks=self.masks.reshape(-1),
            margins=self.margins,
            draws=np.zeros(count, dtype=np.uint64),
        )

    def __setstate__(self, found: dict[str, Any]) -> None:
        """Take up what was pickled; what is shown is one with the games' arrays again."""
        self.__dict__.update(found)
        seen, masks = self.seen.reshape(-1), self.masks.reshape(-1)
        self._games = self._games._replace(seen=seen, masks=masks)


class GamesUnderWay(ManyGames):
    """Games of a learner, who is shown as the player to move, against an opponent made for them."""

    def __init__(self, opponent: CompiledPlayer, count: int) -> None:
        super().__init__(opponent.rules, count)
        self._opponent = opponent

    def open(
        self,
        which: Sequence[int],
        boards: Sequence[Board],
        players: Sequence[int],
        seeds: Sequence[int],
    ) -> None:
        """Begin games of these numbers on boards that are not over, the learner on ``players``.

        Where the opponent moves first, it has moved when this returns; its random choices follow
        from the seeds.

        Raises:
            StuckError: when a choice of the opponent takes too long.
        """
        games = self._games
        for game, board, player in zip(which, boards, players, strict=True):
            sides = words_of(board)
            games.sides[2 * game], games.sides[2 * game + 1] = sides[player], sides[1 - player]
            games.movers[game] = int(board.player != player)
        begin = steps.Beginning(
            which=np.array(which, dtype=np.int64),
            seeds=np.array(seeds, dtype=np.uint64),
        )
        chooser, search = self._opponent.chooser, self._opponent.search
        steps.open_games(self._variant, chooser, search, games, begin)
        self._check()

    def step(self, pits: NDArray[np.int64]) -> None:
        """Sow a pit in every game that goes on, ``pits[game]``, and have the opponent answer.

        Raises:
            StuckError: when a choice of the opponent takes too long.
        """
        chooser, search = self._opponent.chooser, self._opponent.search
        steps.step_games(self._variant, chooser, search, self._games, pits)
        self._check()

    def _check(self) -> None:
        if (self.states == steps.GAVE_UP).any():
            raise StuckError("a choice of the opponent takes too long for batches of games")
