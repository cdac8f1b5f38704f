"""Simulated bots: good ones, and those with habits that an arena has to live with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from protocol.messages import (
    VERSION,
    Accept,
    Challenge,
    Challenged,
    Decline,
    Error,
    ErrorCode,
    Goodbye,
    Hello,
    Join,
    Leave,
    MatchOver,
    Message,
    Move,
    Reason,
    Resign,
    Seek,
    Turn,
    Unseek,
    Watch,
    Welcome,
)
from scripts.simulate.ledger import Ledger
from scripts.simulate.scene import Scene
from scripts.simulate.story import Event
from scripts.simulate.wire import Line

FIRST_RETRY_S: Final = 0.2
FAST_S: Final = 0.02
LADDER: Final = "main"
ACCEPTED: Final = 0.7
"""The share of challenges that are accepted."""
FORGETS: Final = 0.5
"""The share of goodbyes after which a bot does not immediately try to resume what it left."""


@dataclass(frozen=True, slots=True)
class Habit:
    """How a bot behaves; each probability is for one turn.

    Attributes:
        name: what it is called.
        think_s: mean time to an answer.
        delay_s: mean time of a message on its way.
        joins: whether it joins the ladder; else it asks for matches.
        challenges: whether it challenges another bot to its matches.
        watches: whether it watches the ladder.
        is_timed: whether the server's kernel knows when its answers arrive.
        late: probability of an answer around the flag, before or after.
        provisional: of a provisional answer before the final one.
        silent: of no answer at all.
        drop: of a lost connection.
        half_open: of a loss that the server learns late, given a loss.
        absent: of staying away for longer than the seat is kept, given a loss.
        twice: of sending the answer twice.
        again: of a second connection beside the first.
        lie: of an illegal move.
        nonsense: of a message out of place.
        resign: of giving up.
        leave: of a goodbye in the middle of a game.
    """

    name: str
    think_s: float = 0.3
    delay_s: float = 0.02
    joins: bool = True
    challenges: bool = False
    watches: bool = False
    is_timed: bool = True
    late: float = 0.0
    provisional: float = 0.0
    silent: float = 0.0
    drop: float = 0.0
    half_open: float = 0.0
    absent: float = 0.0
    twice: float = 0.0
    again: float = 0.0
    lie: float = 0.0
    nonsense: float = 0.0
    resign: float = 0.0
    leave: float = 0.0


POLITE: Final = Habit("polite")
POLITE_NAME: Final = f"{POLITE.name}0"
"""The first bot of every world, which others may challenge."""
HABITS: Final = (
    POLITE,
    Habit("slow", think_s=0.8, delay_s=0.03, provisional=0.3),
    Habit("flagging", think_s=0.5, late=0.06, provisional=0.2),
    Habit("untimed", think_s=0.5, late=0.06, is_timed=False),
    Habit("silent", silent=0.03, provisional=0.3),
    Habit("dropping", drop=0.12, half_open=0.4),
    Habit("absent", drop=0.05, absent=0.5),
    Habit("twice", twice=0.5, again=0.1),
    Habit("lying", lie=0.03),
    Habit("confused", nonsense=0.03),
    Habit("resigning", resign=0.03),
    Habit("leaving", leave=0.05),
    Habit("seeking", joins=False, drop=0.04, absent=0.3),
    Habit("challenging", joins=False, challenges=True, drop=0.02, leave=0.02),
    Habit("watching", watches=True, drop=0.05, half_open=0.4),
    Habit(
        "wild",
        think_s=0.2,
        delay_s=0.05,
        late=0.02,
        provisional=0.3,
        silent=0.02,
        drop=0.05,
        half_open=0.3,
        absent=0.1,
        twice=0.1,
        again=0.05,
        lie=0.01,
        nonsense=0.01,
        resign=0.02,
        leave=0.02,
    ),
)


class SimBot:
    """One bot over its whole life.

    Attributes:
        name: its name.
        habit: how it behaves.
    """

    def __init__(self, world: Scene, name: str, habit: Habit) -> None:
        self.name = name
        self.habit = habit
        self._world = world
        self._story = world.story
        self._line: Line | None = None
        self._secret: str | None = None
        self._has_left = False
        self._is_welcome = False

    def connect(self) -> None:
        """Connect, or try again later."""
        server = self._world.life
        if self._has_left:
            return
        if server is None or server.is_over:
            self._world.later(FIRST_RETRY_S, self.connect)
            return
        line = Line(
            self,
            server,
            self._story,
            self._world.later,
            delay_s=self.habit.delay_s,
            is_timed=self.habit.is_timed,
        )
        if self._line is not None and self._line.is_open:
            self._story.count(Event.REPLACED, self.name)
        self._line = line
        self._is_welcome = False
        line.say(Hello(VERSION, self.name, resume=self._secret))

    def cut(self) -> None:
        """Lose the connection to a server that died."""
        if self._line is not None:
            self._line.end()

    def calm_down(self) -> None:
        """Do nothing wrong from now on, and ask for nothing new."""
        self.habit = replace(POLITE, joins=self.habit.joins)
        if self._line is not None and self._is_welcome:
            self._stop_asking(self._line)

    def _stop_asking(self, line: Line) -> None:
        line.say(Leave(LADDER) if self.habit.joins else Unseek())

    def say_goodbye(self) -> None:
        """Leave for good."""
        self._has_left = True
        if self._line is not None:
            self._line.say(Goodbye())

    def heard(self, line: Line, message: Message) -> None:
        """Take a message of the server."""
        match message:
            case Welcome():
                self._on_welcome(line, message)
            case Turn():
                self._on_turn(line, message)
            case Error(code=ErrorCode.BAD_RESUME):
                self._secret = None
            case Error(code=ErrorCode.BAD_NAME):
                self._secret = None
            case Error(code=ErrorCode.QUARANTINED):
                self._story.tell(self.name, "hears of its quarantine")
                self._world.later(self._story.chance.uniform(1.0, 15.0), self._join_again)
            case Challenged() if message.to == self.name:
                self._on_challenged(line, message)
            case MatchOver():
                self._story.tell(self.name, "hears MatchOver")
                self._ask_for_match(line)
            case _:
                self._story.tell(self.name, f"hears {type(message).__name__}")

    def lost(self, line: Line) -> None:
        """Come back, unless another connection took over."""
        if line is self._line and not self._has_left:
            self._world.later(self._story.chance.uniform(0.05, 0.5), self.connect)

    @property
    def ledger(self) -> Ledger:
        """What was said, on all connections."""
        return self._world.ledger

    def _did(self, event: Event, *reasons: Reason) -> None:
        """Count what it does, and for which it may lose."""
        self._story.count(event, self.name)
        self._world.ledger.did(self.name, *reasons)

    def _on_welcome(self, line: Line, welcome: Welcome) -> None:
        if welcome.resumed:
            self._story.count(Event.RESUME, self.name)
        self._secret = welcome.session
        self._is_welcome = True
        if self._world.is_calm:
            self._stop_asking(line)
            return
        if self.habit.watches:
            line.say(Watch(ladder=LADDER))
        if not welcome.resumed and self.habit.joins:
            line.say(Join(LADDER))
        elif not welcome.matches:
            self._ask_for_match(line)

    def _ask_for_match(self, line: Line) -> None:
        """Seek or challenge, if it plays outside of the ladder."""
        if self.habit.joins or self._world.is_calm:
            return
        line.say(Challenge(POLITE_NAME) if self.habit.challenges else Seek(games=2))

    def _join_again(self) -> None:
        if self._line is not None and self._is_welcome and not self._world.is_calm:
            self._line.say(Join(LADDER))

    def _on_challenged(self, line: Line, challenged: Challenged) -> None:
        is_welcome = not self._world.is_calm and self._story.happens(ACCEPTED)
        line.say((Accept if is_welcome else Decline)(challenged.challenge))

    def _on_turn(self, line: Line, turn: Turn) -> None:
        habit, story = self.habit, self._story
        think_s = min(story.chance.expovariate(1 / habit.think_s), 0.25 * turn.deadline_ms / 1000)
        if story.happens(habit.drop):
            self._drop(line)
            return
        if story.happens(habit.provisional):
            pit = story.chance.choice(turn.legal)
            self._later(think_s / 2, line, Move(turn.game, turn.ply, pit, provisional=True))
        if story.happens(habit.silent):
            self._did(Event.SILENT, Reason.TIMEOUT)
            return
        if story.happens(habit.late):
            self._did(Event.LATE, Reason.TIMEOUT)
            think_s = self._time_to_flag(turn)
        self._world.later(think_s, partial(self._answer, line, turn))

    def _time_to_flag(self, turn: Turn) -> float:
        """Return a time to think that ends about when the flag falls; the server may be held up."""
        chance = self._story.chance
        left_s = self._world.ledger.flag_at(turn) - self._story.now()
        self._world.hold_up(left_s - chance.choice((0.002, 0.2)), 0.3)
        return max(0.0, left_s + chance.choice((0.03, 0.1, 0.5)) * chance.uniform(-1.0, 1.0))

    def _answer(self, line: Line, turn: Turn) -> None:
        habit, story = self.habit, self._story
        answer = Move(turn.game, turn.ply, story.chance.choice(turn.legal))
        if story.happens(habit.lie):
            self._did(Event.LIE, Reason.ILLEGAL)
            answer = Move(turn.game, turn.ply, 15)
        elif story.happens(habit.resign):
            self._did(Event.RESIGNED, Reason.RESIGNED)
            line.say(Resign(turn.game))
            return
        elif story.happens(habit.leave):
            self._did(Event.DEPARTURE, Reason.DISCONNECTED)
            line.say(Goodbye())
            if story.happens(FORGETS):
                self._secret = None
            else:
                self.connect()
            return
        elif story.happens(habit.nonsense):
            self._did(Event.NONSENSE, Reason.PROTOCOL)
            line.say_anything(Hello(VERSION, self.name))
        line.say(answer)
        if story.happens(habit.twice):
            story.count(Event.DUPLICATE, self.name)
            line.say(answer)
        if story.happens(habit.again):
            self._world.ledger.did(self.name, Reason.TIMEOUT)
            self.connect()

    def _later(self, delay_s: float, line: Line, message: Message) -> None:
        self._world.later(delay_s, partial(line.say, message))

    def _drop(self, line: Line) -> None:
        habit, story = self.habit, self._story
        is_half_open = story.happens(habit.half_open)
        event = Event.HALF_OPEN if is_half_open else Event.DROP
        self._did(event, Reason.TIMEOUT, Reason.DISCONNECTED)
        learns_s = story.chance.uniform(1.0, 8.0) if is_half_open else FAST_S
        if story.happens(habit.absent):
            story.count(Event.ABSENCE, self.name)
            self._line = None
            self._world.later(self._world.grace_s * 1.5, self.connect)
        line.break_off(server_learns_s=learns_s)
