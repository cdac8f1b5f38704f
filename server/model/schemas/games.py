"""Games and matches, finished and running."""

from enum import StrEnum

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import Agent, Player, Reason
from mancala.protocol.record import GameRecord, RecordedMove
from mancala.protocol.results import Timestamp
from mancala.protocol.rules import Rules, State

from .views import View


class GameStatus(StrEnum):
    """Whether a game is being played or over."""

    RUNNING = "running"
    OVER = "over"


class BotResult(StrEnum):
    """What a game was for one of its bots."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


class GameSummary(View, frozen=True):
    """A game in a list.

    Attributes:
        ladder: the ladder it was played in, if any.
        players: both names, in seat order.
        plies: sowings made.
        winner: the player who won; none as long as it runs, for a draw, and when it does not count.
        stores: both stores at the end, in seat order.
        reason: why it ended.
        annulled: whether the organiser annulled it; its result then counts for nothing.
    """

    game: str
    match: str
    ladder: str | None
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[str, str]
    status: GameStatus
    plies: int
    winner: Player | None
    stores: tuple[int, int] | None
    reason: Reason | None
    started_at: Timestamp
    ended_at: Timestamp | None
    annulled: bool

    @property
    def counts(self) -> bool:
        """Whether its result counts, once it has one."""
        return self.reason is not Reason.ABORTED and not self.annulled


class GamePage(View, frozen=True):
    """Games, the latest first.

    Attributes:
        games: this page.
    """

    games: tuple[GameSummary, ...]
    next: str | None


class StageView(View, frozen=True):
    """What is worth watching.

    Attributes:
        games: at most twelve, the best first: those that run, then the best of the latest.
        record: of the first of them; none if there is no game.
        reviewed: the ids of those that have a review.
    """

    games: tuple[GameSummary, ...]
    record: GameRecord | None
    reviewed: tuple[str, ...]


class GameNeighbours(View, frozen=True):
    """The games around a game, in the order in which they began.

    Attributes:
        previous: the id of the game before it; none for the first game.
        next: the id of the game after it; none for the latest game.
    """

    previous: str | None
    next: str | None


class GamePosition(View, frozen=True):
    """A position of a game, and the sowing that led to it.

    Attributes:
        move: the sowing before it; none for the opening.
        again: whether the same player sows next.
    """

    state: State
    legal: tuple[int, ...]
    move: RecordedMove | None
    captured: int
    again: bool


class GamePositions(View, frozen=True):
    """A game played over.

    Attributes:
        over: whether the game is over; if not, positions are still to come.
        positions: the opening, then the position after each sowing.
    """

    game: str
    over: bool
    positions: tuple[GamePosition, ...]


class LivePlayer(View, frozen=True):
    """A player of a running game."""

    name: str
    agent: Agent | None
    present: bool


class LiveGame(View, frozen=True):
    """A running game at this moment.

    Attributes:
        ladder: the ladder it is played in, if any.
        players: both players, in seat order.
        opening: the position it began from.
        state: the position now.
        moves: the pits sown so far, in order.
        clocks: what is left of the banks and quotas.
    """

    game: str
    match: str
    ladder: str | None
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[LivePlayer, LivePlayer]
    opening: State
    state: State
    moves: tuple[int, ...]
    clocks: ClockState


class MatchView(View, frozen=True):
    """A match.

    Attributes:
        ladder: the ladder it was played in, if any.
        players: both names; the first has seat 0 in the first game.
        planned: how many games were agreed on.
        games: the games begun, in order.
        score: points a name, of games that count: a win is one, a draw half a point.
    """

    match: str
    ladder: str | None
    rated: bool
    rules: Rules
    clock: TimeControl
    players: tuple[str, str]
    planned: int
    games: tuple[GameSummary, ...]
    score: dict[str, float]
    status: GameStatus
    started_at: Timestamp
    ended_at: Timestamp | None
