"""What a bot author writes: an async function from a turn to a pit, or a subclass of `Bot`."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from protocol.clock import ClockState, TimeControl
from protocol.messages import Evidence, Info, Reason
from protocol.player import Choice
from protocol.rules import Board, Rules


@dataclass(frozen=True, slots=True)
class Game:
    """A game as its player knows it.

    Attributes:
        id: the server's name for it.
        match: the match it belongs to.
        seat: the player you are, 0 or 1; player 0 begins.
        rules: the variant.
        control: the time control.
        opponent: who sits on the other side.
        rated: whether the result counts.
    """

    id: str
    match: str
    seat: int
    rules: Rules
    control: TimeControl
    opponent: str
    rated: bool


def _unheard(_pit: int, _info: Info | None) -> None:
    """Take an offer that nobody waits for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question: which pit?

    Attributes:
        board: the position; ``board.player`` is you.
        legal: the pits you may sow.
        game: the game it is asked in.
        ply: the question's number, the count of sowings before it.
        clock: what is left of both banks and lag quotas.
        deadline_s: seconds from now at which the answer comes too late.
        budget_s: seconds that are sensibly spent on this move, the way to the server and the
            rest of the game considered.
        heard: called with each offer.
    """

    board: Board
    legal: tuple[int, ...]
    game: Game
    ply: int
    clock: ClockState
    deadline_s: float
    budget_s: float
    heard: Callable[[int, Info | None], None] = field(default=_unheard, repr=False)

    @property
    def rules(self) -> Rules:
        """The variant in force."""
        return self.board.rules

    def offer(self, pit: int, info: Info | None = None) -> None:
        """Name the best move so far, to be played if the time runs out; from the loop's thread."""
        self.heard(pit, info)


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game.

    Attributes:
        game: the server's name for it.
        match: the match it belongs to.
        opponent: who sat on the other side.
        seat: the player you were.
        winner: the player who won; None for a draw or when the game does not count.
        stores: the final stores, player 0's first.
        reason: why it ended.
        evidence: the facts, when it was a forced end.
    """

    game: str
    match: str
    opponent: str
    seat: int
    winner: int | None
    stores: tuple[int, int]
    reason: Reason
    evidence: Evidence | None = None

    @property
    def won(self) -> bool:
        """Whether you won."""
        return self.winner == self.seat


class Bot(ABC):
    """A player with hooks around its games; only `choose` has to be written."""

    @abstractmethod
    async def choose(self, turn: Turn) -> int | Choice:
        """Answer a question.

        The task is cancelled when the answer is no longer waited for.

        Raises:
            PlayerError: when there is no answer; the game is then resigned.
        """

    async def warm_up(self) -> None:  # noqa: B027  # a hook that most bots leave alone
        """Make ready whatever takes time; awaited before the server is greeted."""

    def game_started(self, game: Game) -> None:  # noqa: B027  # likewise
        """Hear that a game begins, or is taken up again."""

    def game_over(self, result: GameResult) -> None:  # noqa: B027  # likewise
        """Hear how a game ended."""

    async def close(self) -> None:  # noqa: B027  # likewise
        """Let go of everything; awaited once, at the end."""


Choose = Callable[[Turn], Awaitable[int | Choice]]


class FunctionBot(Bot):
    """A bot whose whole mind is one async function."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    async def choose(self, turn: Turn) -> int | Choice:
        """Ask the function."""
        return await self._choose(turn)


def as_bot(player: Bot | Choose) -> Bot:
    """Accept a bot as it is, and wrap a function."""
    return player if isinstance(player, Bot) else FunctionBot(player)


def as_choice(answer: object) -> Choice:
    """Read what `choose` returned; numpy's integers are pits too.

    Raises:
        TypeError: when it is neither a pit nor a choice.
    """
    pit, info = answer if isinstance(answer, Choice) else (answer, None)
    if isinstance(pit, bool):
        raise TypeError("choose() must return a pit or a Choice, not a bool")
    try:
        return Choice(operator.index(pit), info)  # type: ignore[arg-type]  # refused just below
    except TypeError:
        raise TypeError(f"choose() must return a pit or a Choice, not {answer!r}") from None
