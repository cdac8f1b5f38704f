"""Players that follow one rule of thumb: the strategies the article names, and chance.

Greedy and Defend look through whole turns, since a re-turn that leads to a capture is the point of
the game. Within a turn the same seeds can be sown in many orders, so positions already seen are
remembered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from engine.classics.game import Game, Position, lead, position_of
from engine.classics.rating import RatingPlayer

if TYPE_CHECKING:
    from engine.classics.game import Sown
    from protocol.rules import Board

Harvest: TypeAlias = tuple[int, int]


class RandomPlayer(RatingPlayer[float]):
    """Every legal pit is as good as any other."""

    def rate(self, board: Board) -> dict[int, float]:
        """Rate all legal pits alike."""
        return dict.fromkeys(board.legal(), 0.0)


class GreedyPlayer(RatingPlayer[Harvest]):
    """As many re-turns as one turn can hold; among equals, the most seeds at its end."""

    def rate(self, board: Board) -> dict[int, Harvest]:
        """Rate each pit by (re-turns in the turn it opens, lead when that turn ends)."""
        game, position = Game(board.rules), position_of(board)
        seen: dict[Position, Harvest] = {}
        return {
            pit: _longest_turn(game, game.sow(position, pit), seen) for pit in game.moves(position)
        }


def _longest_turn(game: Game, sown: Sown, seen: dict[Position, Harvest]) -> Harvest:
    if not sown.again:
        return 0, -lead(sown.position)
    if sown.position not in seen:
        seen[sown.position] = max(
            _longest_turn(game, game.sow(sown.position, pit), seen)
            for pit in game.moves(sown.position)
        )
    returns, final_lead = seen[sown.position]
    return 1 + returns, final_lead


class CapturesPlayer(RatingPlayer[Harvest]):
    """The biggest capture now; with none, a re-turn; with neither, any pit."""

    def rate(self, board: Board) -> dict[int, Harvest]:
        """Rate each pit by (seeds captured at once, whether it moves again)."""
        game, position = Game(board.rules), position_of(board)
        sowings = {pit: game.sow(position, pit) for pit in game.moves(position)}
        return {pit: (sown.captured, int(sown.again)) for pit, sown in sowings.items()}


class DefendPlayer(RatingPlayer[Harvest]):
    """Leaves the opponent the smallest capture; among equals, the most seeds in store."""

    def rate(self, board: Board) -> dict[int, Harvest]:
        """Rate each pit by (minus the most the opponent can capture next turn, lead by then)."""
        game, position = Game(board.rules), position_of(board)
        threats: dict[Position, int] = {}
        seen: dict[Position, Harvest] = {}
        return {
            pit: _safest_turn(game, game.sow(position, pit), seen, threats)
            for pit in game.moves(position)
        }


def _safest_turn(
    game: Game, sown: Sown, seen: dict[Position, Harvest], threats: dict[Position, int]
) -> Harvest:
    if not sown.again:
        return -_threat(game, sown.position, threats), -lead(sown.position)
    if sown.position not in seen:
        seen[sown.position] = max(
            _safest_turn(game, game.sow(sown.position, pit), seen, threats)
            for pit in game.moves(sown.position)
        )
    return seen[sown.position]


def _threat(game: Game, position: Position, threats: dict[Position, int]) -> int:
    """Count the seeds of the other row that the mover can capture in one turn, at most."""
    if position not in threats:
        sowings = (game.sow(position, pit) for pit in game.moves(position))
        threats[position] = max(
            (
                max(sown.captured - 1, 0)
                + (_threat(game, sown.position, threats) if sown.again else 0)
                for sown in sowings
            ),
            default=0,
        )
    return threats[position]
