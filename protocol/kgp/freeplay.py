"""The games of one Kalah Game Protocol client: its questions, their end, and its keepalive.

A ``turn`` of the arena becomes a ``state`` under a new number. The client may answer with any
number of ``move`` commands, each of which is passed on as provisional. Its ``yield`` makes the last
one final. The existing clients make three things necessary:

* ``stop`` must end each question, because clients then free the process that thinks. They kill it,
  and a process that is killed while it writes never releases the client's write lock. After
  ``yield`` it may still be writing. So ``stop`` follows :attr:`Policy.stop_delay_s` later, even if
  the next ``state`` was sent in between.
* A question whose time is up must be stopped immediately, at the risk of the same deadlock. So a
  ``ping`` follows. A client that does not answer it in time, or that lets the next question pass
  before it has answered, is reported as wedged.
* A client may name moves as fast as it can write, without a pause to think. What it writes after
  its question was stopped must be read before the answer to the next one. So the last move of a
  client that names more than :data:`MOST_MOVES`, and then more than :data:`MOVES_PER_S`, is made
  final, and its question is stopped.
* The client does not know the arena's flag: its rule is to think until ``stop``. So shortly before
  the flag falls, its last move is made final. If it has named none, the flag falls.

Some clients lose their only ``move`` and send a bare ``yield``: the stock one in Java gives its
search thread a position before it has noted the question, and drops a move that is quicker than
the note. They are asked the same again, ever later (:data:`UNHURRIED`), while the clock runs on,
and a last time ``stop_delay_s`` before their flag would fall. For one that has named none by then
the server picks a pit, and says so in the move's comment.

The protocol has no message for the end of a game. All clients ignore options that they do not know,
so the server sends what it can in options: ``game:id`` and ``game:opponent`` when a game begins,
``arena:deadline`` with the milliseconds to think, and ``arena:result`` when it ends.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from .. import messages as wire
from ..messages import Reason
from ..round_trips import RoundTrips
from ..rules import Board, Rules
from .actions import Action, Close, Fault, Policy, Relay, Speaker
from .keepalive import Keepalive
from .lines import Command, KgpError

MARGIN_S: Final = 0.05
MARGIN_SHARE: Final = 0.1
LONGEST_COMMENT: Final = 2000
MOST_MOVES: Final = 128
"""Moves that a client may name for one question, however quickly."""
MOVES_PER_S: Final = 64
"""Moves that it may name beyond these, for each second of the question."""
RELAYED: Final = 8
"""Moves of a question that are passed on as they come; later ones at most every ``RELAY_S``."""
RELAY_S: Final = 0.05
UNHURRIED: Final = 8
"""After how many bare ``yield`` the same question follows after twice ``stop_delay_s``."""
LONGEST_PAUSE: Final = 8
"""After how many ``stop_delay_s`` the same question follows at most."""
PICKED: Final = "[yield came without a move; the server picked this one]"


class _Game(NamedTuple):
    rules: Rules
    seat: int


@dataclass(slots=True)
class _Question:
    game: str
    ply: int
    legal: tuple[int, ...]
    board: Board
    flag: float
    asked_at: float
    relayed_at: float
    opponent_s: int | None
    """What the opponent's bank holds."""
    repeats: int = 0
    moves: int = 0
    pit: int | None = None
    comment: str = ""


class _Stop(NamedTuple):
    due: float
    number: int
    question: _Question | None = None
    """What is asked again then."""


class Freeplay:
    """The games and open questions of one client, whose last comment goes with its next answer."""

    def __init__(
        self, policy: Policy, speaker: Speaker, pick: Callable[[Sequence[int]], int]
    ) -> None:
        self.comment = ""
        self._policy = policy
        self._speaker = speaker
        self._pick = pick
        self._games: dict[str, _Game] = {}
        self._questions: dict[int, _Question] = {}
        self._stops: list[_Stop] = []
        self._late: re.Pattern[bytes] | None = None
        self._keepalive = Keepalive(policy.ping_s, policy.pong_s)

    @property
    def is_playing(self) -> bool:
        return bool(self._games)

    @property
    def round_trips(self) -> RoundTrips:
        """The last round trips of ``ping`` and ``pong``."""
        return self._keepalive.round_trips

    @property
    def deadline(self) -> float:
        """The instant at which to call :meth:`expire`."""
        flags = (question.flag for question in self._questions.values())
        return min((*flags, *(stop.due for stop in self._stops), self._keepalive.due))

    def begin(self, now: float) -> None:
        self._keepalive.postpone(now)

    # Messages of the arena

    def start_game(self, start: wire.GameStart, _now: float) -> list[Action]:
        if start.seat is None:
            return []
        self._games[start.game] = _Game(start.rules, start.seat)
        mode = "relative" if start.clock.bank_ms is None else "absolute"
        return [
            self._speaker.set("game:id", start.game),
            self._speaker.set("game:opponent", start.opponent.name),
            self._speaker.set("time:mode", mode),
        ]

    def ask(self, turn: wire.Turn, now: float) -> list[Action]:
        """Put a question; it replaces an earlier one of the same game."""
        game = self._games[turn.game]
        former = self._withdraw(turn.game, now)
        allowed_s = turn.deadline_ms / 1000
        flag = now + allowed_s - min(MARGIN_S, MARGIN_SHARE * allowed_s)
        board = Board.from_state(turn.state, game.rules)
        banks_ms = turn.clock.banks_ms
        opponent_s = None if banks_ms is None else banks_ms[1 - game.seat] // 1000
        question = _Question(turn.game, turn.ply, turn.legal, board, flag, now, now, opponent_s)
        return [*former, *self._put(question, turn.deadline_ms)]

    def _put(self, question: _Question, left_ms: int) -> list[Action]:
        """Say a question under a new number, after the time that is left for it."""
        hints = [self._speaker.set("time:clock", max(1, left_ms // 1000))]
        if question.opponent_s is not None:
            hints.append(self._speaker.set("time:opclock", question.opponent_s))
        hints.append(self._speaker.set("arena:deadline", left_ms))
        state = self._speaker.say("state", question.board)
        self._questions[self._speaker.last_id] = question
        return [*hints, state]

    def _withdraw(self, game: str, now: float, *, ply: int | None = None) -> list[Action]:
        """Stop the open questions of a game, up to a ply, and put none of them again."""

        def is_meant(question: _Question | None) -> bool:
            if question is None or question.game != game:
                return False
            return ply is None or question.ply <= ply

        self._stops = [
            stop._replace(question=None) if is_meant(stop.question) else stop
            for stop in self._stops
        ]
        open_questions = [n for n, question in self._questions.items() if is_meant(question)]
        actions: list[Action] = []
        for number in open_questions:
            del self._questions[number]
            actions += [self._speaker.say("stop", ref=number), *self._ping(now)]
        return actions

    def moved(self, moved: wire.Moved, now: float) -> list[Action]:
        """Stop the question if the referee has answered it because the time was up."""
        return self._withdraw(moved.game, now, ply=moved.ply)

    def end_game(self, over: wire.GameOver, now: float) -> list[Action]:
        former = self._withdraw(over.game, now)
        game = self._games.pop(over.game, None)
        if game is None:
            return former
        verdict = "void" if over.reason is Reason.ABORTED else "drawn"
        if over.winner is not None:
            verdict = "won" if over.winner == game.seat else "lost"
        own, other = over.stores[game.seat], over.stores[1 - game.seat]
        return [
            *former,
            self._speaker.set("arena:result", f"{verdict} {own} {other} {over.reason}"),
        ]

    # Commands of the client

    def skip_late(self, data: bytes) -> bytes:
        """Return what a client wrote without the moves for the question that was stopped last.

        A client that streams has written thousands before it reads the ``stop``. The first line is
        kept, since it may be the end of another.
        """
        return data if self._late is None else self._late.sub(b"", data)

    def is_open(self, number: int) -> bool:
        """Return whether a question waits for its answer."""
        return number in self._questions

    def move(self, command: Command, now: float) -> list[Action]:
        """Process the best move so far; ignore it if it answers no open question.

        KgpError when the argument is not the number of a pit.
        """
        if command.ref is None or command.ref not in self._questions:
            return []
        question = self._questions[command.ref]
        match command.arguments:
            case (int(number),) if 1 <= number <= question.board.rules.pits:
                question.pit = pit = number - 1
            case _:
                raise KgpError("a move is the number of a pit")
        self._take_comment(question)
        self._keepalive.on_activity(now)
        question.moves += 1
        is_stream = question.moves > MOST_MOVES + MOVES_PER_S * (now - question.asked_at)
        if is_stream or question.flag == inf:  # or the time is nearly up: this move is final
            return self._close_late(command.ref, pit, now)
        if question.moves > RELAYED and now < question.relayed_at + RELAY_S:
            return []
        question.relayed_at = now
        return [_answer(question, pit, provisional=True)]

    def yielded(self, command: Command, now: float) -> list[Action]:
        """Make the last move final; ignore a yield that answers no open question."""
        if command.ref is None or command.ref not in self._questions:
            return []
        question = self._questions.pop(command.ref)
        self._take_comment(question)
        self._keepalive.on_activity(now)
        pause_s = self._policy.stop_delay_s
        unhurried = now + pause_s * min(1 + question.repeats / UNHURRIED, LONGEST_PAUSE)
        later = max(now + pause_s, min(unhurried, question.flag - pause_s))
        if question.pit is None and later < question.flag < inf:
            self._stops.append(_Stop(later, command.ref, question))
            return []
        self._stops.append(_Stop(now + pause_s, command.ref))
        return [_answer(question, self._final(question))]

    def _final(self, question: _Question) -> int:
        """Return the pit that a client named last, or one picked for it, and say so."""
        if question.pit is not None:
            return question.pit
        question.comment = f"{PICKED} {question.comment}".rstrip()[:LONGEST_COMMENT]
        return self._pick(question.legal)

    def pong(self, command: Command, now: float) -> list[Action]:
        """Process a pong; ignore one that answers no ping."""
        self._keepalive.on_pong(command.ref, now)
        return []

    def _take_comment(self, question: _Question) -> None:
        question.comment, self.comment = self.comment or question.comment, ""

    # Timers

    def expire(self, now: float) -> list[Action]:
        """Process all timers that are due at ``now``."""
        actions = [*self._send_stops(now), *self._close_late_questions(now)]
        return actions if Close() in actions else [*actions, *self._check_keepalive(now)]

    def _send_stops(self, now: float) -> list[Action]:
        due = [stop for stop in self._stops if stop.due <= now]
        self._stops = [stop for stop in self._stops if stop.due > now]
        stops: list[Action] = [self._speaker.say("stop", ref=stop.number) for stop in due]
        for stop in due:
            if (question := stop.question) is None:
                continue
            if now < question.flag:
                question.repeats += 1
                stops += self._put(question, max(1, int((question.flag - now) * 1000)))
            else:  # this call came late
                stops.append(_answer(question, self._final(question)))
        return stops

    def _close_late_questions(self, now: float) -> list[Action]:
        actions: list[Action] = []
        late = [(n, question) for n, question in self._questions.items() if question.flag <= now]
        for number, question in late:
            if question.pit is not None or question.repeats:  # it has named one, or yielded
                actions += self._close_late(number, self._final(question), now)
            elif self._keepalive.is_pending:
                return [*actions, *self._give_up("neither pong nor move since it was stopped")]
            else:
                question.flag = inf
        return actions

    def _close_late(self, number: int, pit: int, now: float) -> list[Action]:
        question = self._questions.pop(number)
        if question.moves > MOST_MOVES:
            self._late = re.compile(rb"\n\d{0,9}@%d move \d{1,3}\r?(?=\n)" % number)
        stop = self._speaker.say("stop", ref=number)
        return [stop, *self._ping(now), _answer(question, pit)]

    def _check_keepalive(self, now: float) -> list[Action]:
        if self._keepalive.has_timed_out(now):
            return self._give_up(f"no pong within {self._policy.pong_s:g} s")
        if self._keepalive.due > now:
            return []
        if self._questions:
            self._keepalive.postpone(now)
            return []
        return self._ping(now)

    def _ping(self, now: float) -> list[Action]:
        if self._keepalive.is_pending:
            return []
        ping = self._speaker.say("ping")
        self._keepalive.sent(self._speaker.last_id, now)
        return [ping]

    def _give_up(self, detail: str) -> list[Action]:
        farewell = [self._speaker.say("error", detail), self._speaker.say("goodbye")]
        return [Fault(Reason.WEDGED, detail), *farewell, Close()]


def _answer(question: _Question, pit: int, *, provisional: bool = False) -> Relay:
    info = wire.Info(comment=question.comment) if question.comment else None
    return Relay(wire.Move(question.game, question.ply, pit, provisional, info))
