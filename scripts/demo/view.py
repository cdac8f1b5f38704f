"""A spectator's view of a match: the games as watched, and their results from MQTT."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import Evidence, GameOver, GameStart, Info, Message, Moved, Reason
from mancala.protocol.results import GameResult, MatchResult, Payload
from mancala.protocol.rules import Board, Rules

NO_INFO: Final = Info()


@dataclass(slots=True)
class Watched:
    """The game on the board; its turn began at an instant of the spectator's clock, in seconds."""

    id: str
    names: tuple[str, str]
    rules: Rules
    control: TimeControl
    board: Board
    clock: ClockState
    turn_since: float
    plies: int


class LastMove(NamedTuple):
    pit: int
    elapsed_ms: int
    info: Info


class DemoGame(NamedTuple):
    """A finished game, as reported by the server or over MQTT; all pairs are in seat order."""

    names: tuple[str, str]
    winner: int | None
    stores: tuple[int, int]
    reason: Reason
    evidence: Evidence | None
    plies: int

    @property
    def points(self) -> tuple[float, float]:
        """Points in seat order; an aborted game gives none."""
        if self.reason is Reason.ABORTED:
            return 0.0, 0.0
        if self.winner is None:
            return 0.5, 0.5
        return float(self.winner == 0), float(self.winner == 1)


@dataclass(slots=True)
class DemoView:
    """A match under way: the game that began most recently, each bot's last move by name."""

    names: tuple[str, str]
    games: int
    watched: Watched | None = None
    last_moves: dict[str, LastMove] = field(default_factory=dict)
    finished: dict[str, DemoGame] = field(default_factory=dict)
    results: list[GameResult] = field(default_factory=list)
    match: MatchResult | None = None

    @property
    def points(self) -> dict[str, float]:
        """What each player has scored so far: a win counts 1, a draw a half."""
        points = dict.fromkeys(self.names, 0.0)
        for game in self.finished.values():
            for name, gained in zip(game.names, game.points, strict=True):
                points[name] += gained
        return points

    @property
    def played(self) -> int:
        """The number of games that are over, and not void."""
        return sum(game.reason is not Reason.ABORTED for game in self.finished.values())

    @property
    def is_played(self) -> bool:
        return len(self.finished) >= self.games

    @property
    def is_published(self) -> bool:
        """Whether every result, the match's included, has come over MQTT."""
        return len(self.results) >= self.games and self.match is not None

    def on_message(self, message: Message, now: float) -> None:
        match message:
            case GameStart():
                self.watched = Watched(
                    message.game,
                    message.names,
                    message.rules,
                    message.clock,
                    Board.from_state(message.state, message.rules),
                    message.clocks,
                    now,
                    len(message.moves),
                )
            case Moved() if self.watched is not None and message.game == self.watched.id:
                self._moved(self.watched, message, now)
            case GameOver() if self.watched is not None and message.game == self.watched.id:
                self.finished[message.game] = DemoGame(
                    self.watched.names,
                    message.winner,
                    message.stores,
                    message.reason,
                    message.evidence,
                    self.watched.plies,
                )

    def on_result(self, payload: Payload) -> None:
        match payload:
            case GameResult():
                self.results.append(payload)
                first, second = payload.players
                self.finished[payload.game] = DemoGame(
                    (first.name, second.name),
                    payload.winner,
                    payload.stores,
                    payload.reason,
                    payload.evidence,
                    payload.plies,
                )
            case MatchResult():
                self.match = payload

    def _moved(self, game: Watched, moved: Moved, now: float) -> None:
        game.board = Board.from_state(moved.state, game.rules)
        game.clock = moved.clock
        game.turn_since = now
        game.plies = moved.ply + 1
        name = game.names[moved.player]
        self.last_moves[name] = LastMove(moved.pit, moved.elapsed_ms, moved.info or NO_INFO)
