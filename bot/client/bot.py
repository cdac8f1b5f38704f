"""What a bot author writes: a function from a turn to a pit, or a subclass of `Bot`."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import isclass

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import Evidence, Info, Reason
from mancala.protocol.player import Choice
from mancala.protocol.rules import Board, Rules

from .asking import ask


@dataclass(frozen=True, slots=True)
class Game:
    """A game, as told to its player.

    Attributes:
        id: the game's id on the server.
        match: the id of its match.
        seat: the player you are, 0 or 1; player 0 begins.
        rules: the variant.
        control: the time control.
        opponent: the opponent's name.
        rated: whether the result counts.
    """

    id: str
    match: str
    seat: int
    rules: Rules
    control: TimeControl
    opponent: str
    rated: bool


def _ignore(_pit: int, _info: Info | None) -> None:
    """Ignore a provisional move."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn to move: the position, and the time to answer.

    Attributes:
        board: the position; ``board.player`` is you.
        legal: the pits you may sow.
        game: the game.
        ply: the turn's number: the count of sowings before it.
        clock: what is left of both banks and lag quotas.
        deadline_s: seconds from now until the flag falls.
        budget_s: seconds to spend on this move, with the round trip and the rest of the game
            taken into account.
        heard: the callback for provisional moves.
    """

    board: Board
    legal: tuple[int, ...]
    game: Game
    ply: int
    clock: ClockState
    deadline_s: float
    budget_s: float
    heard: Callable[[int, Info | None], None] = field(default=_ignore, repr=False)

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """The pits you may sow: `legal`, under the name that boards and games have for it, too."""
        return self.legal

    @property
    def rules(self) -> Rules:
        """The variant in force."""
        return self.board.rules

    def offer(self, pit: int, info: Info | None = None) -> None:
        """Send a provisional move, played if the time runs out; may be called in any thread.

        It leaves before this call returns, or, within 50 ms of the last one, soon afterwards.
        """
        self.heard(pit, info)


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game.

    Attributes:
        game: the game's id on the server.
        match: the id of its match.
        opponent: the opponent's name.
        seat: the player you were.
        winner: the player who won; None for a draw, or if the game does not count.
        stores: the final stores, player 0's first.
        reason: why it ended.
        evidence: the facts of a forced end; None otherwise.
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
    """A player with hooks around its games; only `choose` is required.

    Attributes:
        swaps: whether it knows the pie rule: then ``turn.board.may_swap`` says where it may answer
            `mancala.protocol.rules.SWAP` in place of a pit. A bot that does not is never asked.
    """

    swaps: bool = False

    @abstractmethod
    async def choose(self, turn: Turn) -> int | Choice:
        """Return the pit to sow; a plain ``def`` works as well, and runs in a thread.

        The task is cancelled when the answer is no longer needed. While an async `choose`
        computes without awaiting, nothing else is sent or received.

        Raises:
            PlayerError: when the player has no answer; its game is then resigned.
        """

    async def warm_up(self) -> None:  # noqa: B027  # a hook that most bots leave alone
        """Prepare what takes time; awaited before the connection."""

    def game_started(self, game: Game) -> None:  # noqa: B027  # a hook that most bots leave alone
        """Called when a game begins or is resumed."""

    def game_over(self, result: GameResult) -> None:  # noqa: B027  # a hook that most bots leave alone
        """Called with the result of a game."""

    async def close(self) -> None:  # noqa: B027  # a hook that most bots leave alone
        """Release all resources; awaited once, at the end."""


Choose = Callable[[Turn], Awaitable[int | Choice] | int | Choice]


class FunctionBot(Bot):
    def __init__(self, choose: Choose) -> None:
        self.function = choose

    async def choose(self, turn: Turn) -> int | Choice:
        return await ask(self.function, turn)


def problem_of_player(player: object) -> str | None:
    """Return why an object plays nothing; None for a bot and a function."""
    if isclass(player):
        return f"the player is a class: hand over an object, {player.__name__}()"
    if isinstance(player, Bot) or callable(player):
        return None
    return f"the player is {player!r}: hand over the function itself, choose and not choose(…)"


def as_bot(player: Bot | Choose) -> Bot:
    return player if isinstance(player, Bot) else FunctionBot(player)


def as_choice(answer: object) -> Choice:
    """Return the answer of `choose` as a `Choice`; numpy's integers are pits too.

    Raises:
        TypeError: when it is neither a pit nor a `Choice`.
    """
    pit, info = answer if isinstance(answer, Choice) else (answer, None)
    if isinstance(pit, bool):
        raise TypeError("choose() must return a pit or a Choice, not a bool")
    try:
        return Choice(operator.index(pit), info)  # type: ignore[arg-type]  # refused just below
    except TypeError:
        hint = "; does each way through it end with 'return'?" if pit is None else ""
        raise TypeError(f"choose() must return a pit or a Choice, not {answer!r}{hint}") from None
