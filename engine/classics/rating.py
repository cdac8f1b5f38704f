"""What the classic players share: they rate each legal pit and sow one of the best."""

from abc import abstractmethod
from dataclasses import dataclass
from secrets import randbits
from typing import Final, Generic, TypeVar

from mancala.protocol.messages import Info
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules, UnknownRuleError

from .game import ClassicGame

Rating = TypeVar("Rating", float, tuple[int, int])
WORD: Final = (1 << 64) - 1


class TieDraws:
    """Random numbers by splitmix64, as `mancala.engine.kernels.splitmix` draws them in batches."""

    def __init__(self, seed: int | None) -> None:
        self._state = randbits(64) if seed is None else seed

    def below(self, count: int) -> int:
        """Return the next random number below ``count``, which is 64 bits at most."""
        self._state = mixed = (self._state + 0x9E3779B97F4A7C15) & WORD
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & WORD
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & WORD
        return (mixed ^ mixed >> 31) % count


@dataclass(kw_only=True, eq=False)
class RatingPlayer(Player, Generic[Rating]):
    """A player that chooses at random among the pits it rates best.

    It bounds its own effort and ignores the clock. The seed decides between equal pits until
    `new_game` gives another one: the same seed plays the same games, None different ones each time.
    """

    seed: int | None = None

    def __post_init__(self) -> None:
        self._ties = TieDraws(self.seed)

    def warm_up(self, rules: Rules = KALAH) -> None:
        """Refuse rules that the classic players do not know: PlayerError."""
        try:
            ClassicGame(rules)
        except UnknownRuleError as error:
            raise PlayerError(str(error)) from error

    @abstractmethod
    def rate(self, board: Board) -> dict[int, Rating]:
        """Return a rating for each legal pit, for the player to move; the greatest is the best."""

    def info(self) -> Info | None:
        """Return what the last rating took and found, if the player counts it."""
        return None

    def best(self, board: Board) -> list[int]:
        """Return the pits rated best, ascending; none when the game is over."""
        ratings = self.rate(board)
        greatest = max(ratings.values(), default=None)
        return sorted(pit for pit, rating in ratings.items() if rating == greatest)

    def new_game(self, seed: int) -> None:
        """Draw the next game's random choices from ``seed``."""
        self._ties = TieDraws(seed)

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:  # noqa: ARG002  # it ignores the clock
        """Choose at random among the best pits; ValueError when the game is over."""
        if board.is_over:
            raise ValueError(f"the game is over; no pit can be chosen on {board.text}")
        best = self.best(board)
        return Choice(best[self._ties.below(len(best))], self.info())


def leads_of(player: Player, opponent: Player, start: Board, *, games: int, seed: int) -> list[int]:
    """Play games from a board, taking turns to begin; return the player's leads, in seeds."""
    player.new_game(seed)
    opponent.new_game(seed + 1)
    leads = []
    for own in (game % 2 for game in range(games)):
        sides, board = ((player, opponent) if own == 0 else (opponent, player)), start
        while not board.is_over:
            board = board.sow(sides[board.player].choose(board).pit).board
        leads.append(board.score(own))
    return leads
