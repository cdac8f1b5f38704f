"""Many games of a learner against a function that answers them together, such as a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mancala.protocol.text import quantity

if TYPE_CHECKING:
    from mancala.protocol.rules import Board, Rules

Policy: TypeAlias = Callable[[NDArray[np.int16], NDArray[np.bool_]], Any]
"""From observations i16[n, 2, pits + 1], each from the side of the player to move, and the masks
bool[n, pits] of what it may sow, to n pits."""


class GamesAgainstPolicy:
    """Games under way, whose opponent is asked about all that wait for it in one call.

    It has the methods and arrays of `mancala.engine.batches.steps.GamesUnderWay`.

    Args:
        policy: the opponent.
        rules: at most seven pits a row, without the pie rule.
        count: number of games.

    Raises:
        ValueError: when the rules are none of these.
    """

    def __init__(self, policy: Policy, rules: Rules, count: int) -> None:
        from mancala.engine.batches.selfplay import ILLEGAL, RUNNING, SelfPlayGames  # noqa: PLC0415  # loads the compiler

        self._policy = policy
        self._games = SelfPlayGames(rules, count)
        self._illegal, self._running = ILLEGAL, RUNNING
        self._seats: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self._all: NDArray[np.int64] = np.arange(count, dtype=np.int64)
        self.states, self.masks = self._games.states, self._games.masks
        self.seen, self.margins = self._games.seen.copy(), self._games.margins.copy()

    def open(
        self,
        which: Sequence[int],
        boards: Sequence[Board],
        players: Sequence[int],
        _seeds: Sequence[int],
    ) -> None:
        """Begin games; where the opponent moves first, it has moved when this returns.

        Raises:
            ValueError: when the opponent answers with what it may not sow.
        """
        for game, board, player in zip(which, boards, players, strict=True):
            self._games.deal(self._all[game : game + 1], (board,))
            self._seats[game] = player
        self._answer()

    def step(self, pits: NDArray[np.int64]) -> None:
        """Sow a pit in every game that is not over, and have the opponent answer.

        Raises:
            ValueError: when the opponent answers with what it may not sow.
        """
        self._games.sow(self._all, pits)
        self._answer()

    def _answer(self) -> None:
        games = self._games
        pits = np.zeros_like(self._seats)
        while (waiting := self._waiting()).size:
            seen, masks = games.seen[waiting], games.masks[waiting].astype(bool)
            chosen = np.asarray(self._policy(seen, masks))
            if chosen.shape != waiting.shape:
                raise ValueError(
                    f"the opponent's function was asked about {quantity(waiting.size, 'game')} and"
                    f" returned an array of shape {chosen.shape}"
                )
            pits[waiting] = chosen
            games.sow(waiting, pits)
            if (wrong := waiting[games.states[waiting] == self._illegal]).size:
                raise ValueError(f"the opponent's function chose the illegal pit {pits[wrong[0]]}")
        self._look()

    def _waiting(self) -> NDArray[np.int64]:
        games = self._games
        return np.flatnonzero((games.states == self._running) & (games.movers != self._seats))

    def _look(self) -> None:
        """Show each game from the learner's side, also where the opponent ended it."""
        games = self._games
        turned = games.movers != self._seats
        self.seen[:] = np.where(turned[:, None, None], games.seen[:, ::-1], games.seen)
        self.margins[:] = np.where(turned, -games.margins, games.margins)
