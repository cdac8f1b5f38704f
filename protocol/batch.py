"""Batch play: whole games between two players that a referee need not stand beside.

A player whose choices are computed in compiled code gains nothing from being asked one question at
a time. What plays a batch answers with whole games; the host checks a sample of them with the
referee, and all of them in the tests.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .messages import Info
from .rules import Board


class BatchedGame(NamedTuple):
    """The moves of a game, one entry of each list a move.

    Times go from question to answer, in milliseconds with three digits. ``infos`` is None where no
    player reports anything. If a row is empty at the end, the stores have what is left in the
    other.
    """

    players: list[int]
    pits: list[int]
    elapsed_ms: list[float]
    infos: list[Info | None] | None
    stores: tuple[int, int]


class BatchPlayer(Protocol):
    """Plays games between two players, which are named when it is made."""

    def play(
        self, openings: Sequence[Board], seeds: Sequence[tuple[int, int]]
    ) -> list[BatchedGame | None]:
        """Play a game from each opening, with a seed for each seat.

        The games are those that the two players would play one move at a time; None for one that
        has to be played that way.
        """
