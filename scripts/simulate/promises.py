"""What the server promises, and a ledger, kept outside of it, that holds it to each promise.

The ledger hears what bots hear. At the end it reads the database and the broker, and compares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from protocol import codec
from protocol.clock import TimeControl
from protocol.messages import GameOver, Moved, Reason, Turn
from protocol.results import GameResult, LadderStandings, Topics
from protocol.rules import Board, IllegalMoveError, Rules
from scripts.simulate.story import Event, Story

OWN_FAULT = frozenset(
    {Reason.TIMEOUT, Reason.ILLEGAL, Reason.RESIGNED, Reason.DISCONNECTED, Reason.PROTOCOL}
)
"""Reasons for which a game is lost by its loser's fault."""


CREDIT_S = 0.5
"""No answer is credited with more lag than this in a world."""


NOTICED_S = 2.0
"""By then a flag that fell is announced, delays of connections included."""


class Promise(StrEnum):
    """One sentence of what a bot's author or an organiser may rely on."""

    REMEMBERED = "a move that was announced is never forgotten or changed"
    FINAL = "a result that was announced is never forgotten or changed"
    LAWFUL = "what is stored replays by the rules"
    PUBLISHED = "every result reaches the broker, and its payload is the store's"
    IN_ORDER = "results reach the broker in the order of their numbers"
    COUNTED_ONCE = "standings equal a recount of the results"
    IN_TIME = "an answer that arrived before its flag loses no game on time"
    PROMPT = "a flag that has fallen ends the game, or plays for its bot, within two seconds"
    LATE = "no answer that arrived after its flag is played"
    ONE_SEAT = "a bot is asked on one connection at a time"
    GRACE = "a dropped seat is kept for the stated time"
    PRESENT = "a bot that came back in time does not lose for having been away"
    POLITE = "a bot that stays polite loses by nothing but the board"
    LIVE = "once faults end, what is under way ends in a stated time"
    EMPTY = "once all have left, nothing is kept of them"
    RUNNING = "nothing that peers or the broker do ends the server"


class BrokenPromiseError(AssertionError):
    """A promise was broken.

    Attributes:
        promise: which.
    """

    def __init__(self, promise: Promise, detail: str) -> None:
        self.promise = promise
        super().__init__(f"{promise}: {detail}")


@dataclass(frozen=True, slots=True)
class Stored:
    """A finished game as the database has it."""

    game: str
    names: tuple[str, str]
    rated: bool
    ladder: str | None
    rules: Rules
    clock: TimeControl
    winner: int | None
    stores: tuple[int, int]
    reason: Reason
    pits: tuple[int, ...]


@dataclass(slots=True)
class Asked:
    """A question, and when its answer arrived at the server.

    Attributes:
        due: when the flag falls at the earliest.
        answered: when the first legal answer arrived; None before.
    """

    due: float
    answered: float | None = None


@dataclass(slots=True)
class Ledger:
    """What was said, on all connections and over all restarts.

    Attributes:
        story: the run's log and clock.
        grace_s: how long a dropped seat is kept.
        present_since: returns when a bot's present connection was welcomed; None while it is away.
        moves: each announced move: by game and ply, its player and pit.
        results: each announced result, by game.
        asked: the questions of the present server, by game and ply.
        players: the bots of each game, in seat order.
        polite: names of the bots that do nothing wrong.
    """

    story: Story
    grace_s: float
    present_since: Callable[[str], float | None]
    moves: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    results: dict[str, GameOver] = field(default_factory=dict)
    asked: dict[tuple[str, int], Asked] = field(default_factory=dict)
    players: dict[str, dict[int, str]] = field(default_factory=dict)
    polite: set[str] = field(default_factory=set)

    def began(self, game: str, seat: int, name: str) -> None:
        """Note who plays a game."""
        self.players.setdefault(game, {})[seat] = name

    def question(self, turn: Turn) -> None:
        """Note that a question was sent."""
        due = self.story.now() + turn.deadline_ms / 1000
        self.asked[turn.game, turn.ply] = Asked(due)

    def answer(self, game: str, ply: int) -> None:
        """Note that a legal answer arrived."""
        asked = self.asked.get((game, ply))
        if asked is not None and asked.answered is None:
            asked.answered = self.story.now()

    def moved(self, move: Moved) -> None:
        """Note a move that was announced."""
        said = (move.player, move.pit)
        known = self.moves.setdefault((move.game, move.ply), said)
        if known != said:
            self._broken(Promise.REMEMBERED, f"{move.game} ply {move.ply}: {known}, then {said}")
        if move.forced:
            self.story.count(Event.FORCED, move.game)
            return
        asked = self.asked.get((move.game, move.ply))
        if (
            asked is not None
            and asked.answered is not None
            and asked.answered > asked.due + CREDIT_S
        ):
            self._broken(Promise.LATE, f"{move.game} ply {move.ply}")

    def over(self, over: GameOver, plies: int) -> None:
        """Note a result that was announced.

        Args:
            over: the result.
            plies: the moves made before it.
        """
        said = (over.winner, over.stores, over.reason)
        known = self.results.get(over.game)
        if known is not None:
            if (known.winner, known.stores, known.reason) != said:
                self._broken(Promise.FINAL, f"{over.game}: {known}, then {over}")
            return
        self.results[over.game] = over
        self.story.count(Event.OVER, over.game)
        if over.reason is Reason.TIMEOUT:
            self._check_flag(over.game, plies)
        self._check_grace(over)
        self._check_polite(over)

    def forget_questions(self) -> None:
        """Forget what was asked: the next server asks anew."""
        self.asked.clear()

    def _check_flag(self, game: str, plies: int) -> None:
        self.story.count(Event.FLAG, game)
        asked = self.asked.get((game, plies))
        if asked is None:
            return
        if asked.answered is not None and asked.answered < asked.due - 0.001:
            self._broken(Promise.IN_TIME, f"{game} ply {plies}: {asked}")
        if self.story.now() > asked.due + NOTICED_S:
            self._broken(Promise.PROMPT, f"{game} ply {plies}: {asked}")

    def _check_grace(self, over: GameOver) -> None:
        evidence = over.evidence
        if over.reason is not Reason.DISCONNECTED or evidence is None:
            return
        away_ms = evidence.elapsed_ms
        if away_ms is None:
            return
        if away_ms < 1000 * self.grace_s - 1:
            self._broken(Promise.GRACE, f"{over.game}: {evidence}")
        name = self.players.get(over.game, {}).get(evidence.player or 0, "")
        since = self.present_since(name)
        if since is not None and self.story.now() - since > NOTICED_S:
            self._broken(Promise.PRESENT, f"{name} in {over.game}: {evidence}")

    def _check_polite(self, over: GameOver) -> None:
        if over.winner is None or over.reason not in OWN_FAULT:
            return
        loser = self.players.get(over.game, {}).get(1 - over.winner)
        if loser in self.polite:
            self._broken(
                Promise.POLITE, f"{loser} lost {over.game}: {over.reason}, {over.evidence}"
            )

    # At the end

    def check_store(self, games: Iterable[Stored], unfinished: dict[str, tuple[int, ...]]) -> None:
        """Compare what was announced with the database.

        Args:
            games: the finished games.
            unfinished: the pits sown in the others.
        """
        finished = {stored.game: stored for stored in games}
        pits = {game: stored.pits for game, stored in finished.items()} | unfinished
        for (game, ply), (_, pit) in sorted(self.moves.items()):
            if ply >= len(pits.get(game, ())) or pits[game][ply] != pit:
                self._broken(Promise.REMEMBERED, f"{game} ply {ply}: {pit} is not in the store")
        for game, over in sorted(self.results.items()):
            stored = finished.get(game)
            said = (over.winner, over.stores, over.reason)
            if stored is None or (stored.winner, stored.stores, stored.reason) != said:
                self._broken(Promise.FINAL, f"{game}: announced {said}, stored {stored}")
        for stored in finished.values():
            self._check_rules(stored)

    def _check_rules(self, stored: Stored) -> None:
        board = Board.start(stored.rules)
        try:
            for pit in stored.pits:
                board = board.sow(pit).board
        except (IllegalMoveError, ValueError) as error:
            self._broken(Promise.LAWFUL, f"{stored.game}: {error}")
        if stored.reason is not Reason.NORMAL:
            return
        if not board.is_over or board.settled().stores != stored.stores:
            self._broken(Promise.LAWFUL, f"{stored.game}: {board} against {stored.stores}")

    def check_broker(
        self, games: Iterable[Stored], received: Sequence[tuple[str, str]], topics: Topics
    ) -> None:
        """Compare what reached the broker with the database."""
        by_topic: dict[str, set[str]] = {}
        for topic, payload in received:
            by_topic.setdefault(topic, set()).add(payload)
        for stored in games:
            payloads = by_topic.get(topics.game_result(stored.game), set())
            if len(payloads) != 1:
                self._broken(Promise.PUBLISHED, f"{stored.game}: {len(payloads)} payloads")
            told = codec.from_json(next(iter(payloads)), GameResult)
            facts = (told.winner, told.stores, told.reason, told.moves)
            if facts != (stored.winner, stored.stores, stored.reason, stored.pits):
                self._broken(Promise.PUBLISHED, f"{stored.game}: {facts} against {stored}")
        first = {payload: place for place, (_, payload) in reversed(list(enumerate(received)))}
        numbers = [_number(payload) for payload in sorted(first, key=first.__getitem__)]
        numbers = [number for number in numbers if number > 0]
        if numbers != sorted(numbers):
            self._broken(Promise.IN_ORDER, f"{numbers}")

    def check_standings(self, games: Iterable[Stored], standings: LadderStandings) -> None:
        """Recount a ladder."""
        played: Counter[str] = Counter()
        points: Counter[str] = Counter()
        for stored in games:
            if stored.ladder != standings.ladder or not stored.rated:
                continue
            if stored.reason is Reason.ABORTED:
                continue
            for seat, name in enumerate(stored.names):
                played[name] += 1
                points[name] += 1 if stored.winner is None else 2 * (stored.winner == seat)
        for row in standings.standings:
            if (row.games, 2 * row.points) != (played[row.name], points[row.name]):
                self._broken(
                    Promise.COUNTED_ONCE,
                    f"{row.name}: {row.games} games and {row.points} points; "
                    f"recounted {played[row.name]} and {points[row.name] / 2}",
                )
        missing = set(played) - {row.name for row in standings.standings}
        if missing:
            self._broken(Promise.COUNTED_ONCE, f"not in the standings: {missing}")

    def two_seats(self, name: str) -> None:
        """Report a bot that is seated twice."""
        self._broken(Promise.ONE_SEAT, name)

    def check_alarms(self) -> None:
        """Report what the server should never have logged."""
        if self.story.alarms:
            self._broken(Promise.RUNNING, self.story.alarms[0])

    def _broken(self, promise: Promise, detail: str) -> None:
        raise BrokenPromiseError(promise, detail)


def _number(payload: str) -> int:
    told: dict[str, Any] = codec.from_json(payload, dict[str, Any])
    return int(told.get("seq", 0))
