"""Players that follow one rule of thumb: random play, and the strategies that the article names.

Greedy and Defend look through whole turns, because a re-turn can prepare a capture. A turn is a
chain of sowings, and different orders lead to the same position, so results are remembered by
position (memoisation).
"""

from typing import TypeAlias

from mancala.protocol.rules import KALAH, Board, Rules

from .game import ClassicGame, Position, Sown, lead, position_of
from .rating import RatingPlayer

Harvest: TypeAlias = tuple[int, int]


class RandomPlayer(RatingPlayer[float]):
    """Every legal pit is as good as any other."""

    def warm_up(self, rules: Rules = KALAH) -> None:
        """Take any rules."""

    def rate(self, board: Board) -> dict[int, float]:
        """Return the same rating for all legal pits."""
        return dict.fromkeys(board.legal(), 0.0)


class GreedyPlayer(RatingPlayer[Harvest]):
    """As many re-turns as one turn can hold; among equals, the most seeds at its end."""

    def rate(self, board: Board) -> dict[int, Harvest]:
        """Return (re-turns in the turn that the pit begins, lead at its end) for each pit."""
        game, position = ClassicGame(board.rules), position_of(board)
        seen: dict[Position, Harvest] = {}
        return {pit: _longest_turn(game, sown, seen) for pit, sown in game.sowings(position)}


def _longest_turn(game: ClassicGame, sown: Sown, seen: dict[Position, Harvest]) -> Harvest:
    if not sown.again:
        return 0, -lead(sown.position)
    if sown.position not in seen:
        seen[sown.position] = max(
            _longest_turn(game, after, seen) for _, after in game.sowings(sown.position)
        )
    returns, final_lead = seen[sown.position]
    return 1 + returns, final_lead


class CapturesPlayer(RatingPlayer[Harvest]):
    """The biggest capture now; with none, a re-turn; with neither, any pit."""

    def rate(self, board: Board) -> dict[int, Harvest]:
        """Return (seeds captured by the sowing, whether it moves again) for each pit."""
        game, position = ClassicGame(board.rules), position_of(board)
        sowings = game.sowings(position)
        return {pit: (sown.captured, int(sown.again)) for pit, sown in sowings}


class DefendPlayer(RatingPlayer[Harvest]):
    """Leaves the opponent the smallest capture; among equals, the most seeds in store."""

    def rate(self, board: Board) -> dict[int, Harvest]:
        """Return (minus the most the opponent can capture next turn, lead by then) for each pit."""
        game, position = ClassicGame(board.rules), position_of(board)
        threats: dict[Position, int] = {}
        seen: dict[Position, Harvest] = {}
        return {
            pit: _safest_turn(game, sown, seen, threats) for pit, sown in game.sowings(position)
        }


def _safest_turn(
    game: ClassicGame, sown: Sown, seen: dict[Position, Harvest], threats: dict[Position, int]
) -> Harvest:
    if not sown.again:
        return -_threat(game, sown.position, threats), -lead(sown.position)
    if sown.position not in seen:
        seen[sown.position] = max(
            _safest_turn(game, after, seen, threats) for _, after in game.sowings(sown.position)
        )
    return seen[sown.position]


def _threat(game: ClassicGame, position: Position, threats: dict[Position, int]) -> int:
    """Return the most seeds of the other row that the mover can capture in one turn."""
    if position not in threats:
        threats[position] = max(
            (
                max(sown.captured - 1, 0)
                + (_threat(game, sown.position, threats) if sown.again else 0)
                for _, sown in game.sowings(position)
            ),
            default=0,
        )
    return threats[position]
