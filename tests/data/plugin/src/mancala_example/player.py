"""A player that sows its last pit, or another one that is asked for."""

from mancala.bot.players.kind import PlayerKind, Settings, whole
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player
from mancala.protocol.rules import Board


class LastPlayer(Player):
    """Sows the last pit that may be sown, or the one that many before it."""

    def __init__(self, before: int) -> None:
        self._before = before

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        legal = board.legal()
        return Choice(legal[max(0, len(legal) - 1 - self._before)])


def make(settings: Settings) -> LastPlayer:
    return LastPlayer(settings.get("before", 0))


LAST = PlayerKind(
    "last",
    "the last pit that may be sown",
    (whole("before", "pits to leave out before it", 0, low=0, high=15),),
    make,
)
