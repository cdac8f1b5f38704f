"""What a player is: the one interface between everything that chooses pits and its hosts.

A player is asked with `Player.choose` and answers with a `Choice`. Players are blocking and own no
thread, so the same player serves both hosts: the asyncio client runs it in a thread
(`mancala.bot.players.host`), and a headless game calls it directly
(`mancala.server.contest.headless.game`).

How long to think is a `Budget`. The host measures time and decides what a late answer costs; the
player only has to return in good time. A player that improves its answer as it thinks reports each
improvement with `Budget.offer`, so that the host has a move to play if time runs out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import inf
from typing import ClassVar, Final, NamedTuple

from .messages import Info, Reason
from .rules import KALAH, Board, Rules

START_UP_S: Final = 30.0
"""Seconds that a program may take from its start to its first answer, outside every clock."""


class Choice(NamedTuple):
    """An answer, with what the player reports about its thinking.

    Attributes:
        pit: the pit to sow, counted from 0 in the mover's sowing direction.
        info: value, depth, nodes and principal variation, as far as they are known; recorded with
            the move and shown to spectators.
    """

    pit: int
    info: Info | None = None


class PlayerError(Exception):
    """A player has no answer to a question.

    Args:
        detail: one sentence for the record.
        reason: why the game is lost where the player cannot be asked again.
        received: the beginning of what came instead of an answer.
        is_outage: whether a service failed that the player asks, which says nothing about it.
        info: what the player reports of its try.
    """

    def __init__(
        self,
        detail: str = "",
        *,
        reason: Reason = Reason.RESIGNED,
        received: str = "",
        is_outage: bool = False,
        info: Info | None = None,
    ) -> None:
        self.detail = detail
        self.reason = reason
        self.received = received
        self.is_outage = is_outage
        self.info = info
        super().__init__(detail)


def _ignore(_choice: Choice) -> None:
    """Drop an offer."""


def _never() -> bool:
    """Return that the question is still open."""
    return False


class Budget(NamedTuple):
    """How long a player may think about one question.

    Attributes:
        time_s: seconds that are sensibly spent on this move.
        deadline_s: seconds after which an answer is too late.
        enforced: whether ``time_s`` also bounds a player that has a limit of its own, such as a
            depth. True where a real clock runs. False in headless games, so that games limited by
            depth or nodes repeat on every machine.
        offer: receives each better choice while the player thinks; called in its thread.
        is_cancelled: returns whether the answer is no longer wanted.
    """

    time_s: float = inf
    deadline_s: float = inf
    enforced: bool = True
    offer: Callable[[Choice], None] = _ignore
    is_cancelled: Callable[[], bool] = _never


UNLIMITED: Final = Budget(enforced=False)
"""No clock at all: for players that bound their own effort."""


class Player(ABC):
    """Chooses pits, one question at a time; only `choose` has to be written.

    Attributes:
        anytime: whether the player offers better and better choices and depends on no state of
            a single game. A host may then let it answer for several games in turn without
            `new_game`, and play its last offer when the time is up.
        ponders: whether `ponder` should be called while the opponent thinks.
        swaps: whether `choose` itself takes boards on which a swap can follow, and may answer
            `SWAP`. For all others `mancala.protocol.pie` decides by the values they report.
    """

    anytime: ClassVar[bool] = False
    ponders: bool = False
    swaps: bool = False

    def warm_up(self, rules: Rules = KALAH) -> None:  # noqa: B027  # most players need none
        """Load or compile what the first answer needs, before any clock runs.

        Raises:
            PlayerError: when the player cannot play at all.
        """

    def new_game(self, seed: int) -> None:  # noqa: B027  # nothing to forget, nothing random
        """Forget the last game and draw all random choices of the next one from ``seed``."""

    @abstractmethod
    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Choose a pit for the player to move.

        Raises:
            PlayerError: when there is no answer.
            ValueError: when the game is over.
        """

    def ponder(self, board: Board, pv: tuple[int, ...], budget: Budget) -> None:  # noqa: B027  # see `ponders`
        """Think about the opponent's board until the budget ends or `stop` is called.

        Args:
            board: the opponent is to move.
            pv: the sowings expected from here, possibly none.
            budget: when to stop by itself.
        """

    def stop(self) -> None:  # noqa: B027  # most players answer soon anyway
        """End the running `choose` or `ponder` soon; may be called from any thread.

        A request that comes before the thinking has begun may be lost; hosts therefore set
        `Budget.is_cancelled` first.
        """

    def drain_stderr(self) -> list[str]:
        """Return the lines that the player's program wrote to stderr since the last call."""
        return []

    def close(self) -> None:  # noqa: B027  # most players hold nothing
        """Release everything; not while a question is open."""

    def kill(self) -> None:  # noqa: B027  # most players start no process
        """Kill the processes the player started, without waiting; may be called at any moment."""
