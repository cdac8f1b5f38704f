"""Simulated bots that play: good ones, and those with habits that an arena has to live with."""

from __future__ import annotations

from dataclasses import replace
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
    List,
    Listable,
    Listing,
    MatchOver,
    Message,
    Move,
    Reason,
    Resign,
    Seek,
    Turn,
    Unseek,
    Unwatch,
    Watch,
    Welcome,
)
from scripts.simulate.habits import LADDER, POLITE, POLITE_NAME, Habit
from scripts.simulate.ledger import Ledger
from scripts.simulate.promises import Promise, broken
from scripts.simulate.scene import Scene
from scripts.simulate.story import Event
from scripts.simulate.strangers import Stranger
from scripts.simulate.tokens import RESERVED, token_of
from scripts.simulate.wire import Line

FIRST_RETRY_S: Final = 0.2
FAST_S: Final = 0.02
ACCEPTED: Final = 0.7
"""The share of challenges that are accepted."""
REVOKED_S: Final = (0.03, 0.06, 0.1, 10.0)
"""When tokens are revoked, from when their bots say hello."""
REPLACED: Final = 0.7
"""The share of tokens that are replaced instead, by one that their bots do not have."""
FLOOD: Final = 60
"""Messages of a flood."""
FORGETS: Final = 0.5
"""The share of goodbyes after which a bot does not immediately try to resume what it left."""


class SimBot:
    """One bot over its whole life.

    Attributes:
        name: its name.
        habit: how it behaves.
        has_left: whether it never comes back.
    """

    def __init__(self, world: Scene, name: str, habit: Habit) -> None:
        self.name = name
        self.habit = habit
        self._world = world
        self._story = world.story
        self._line: Line | None = None
        self._secret: str | None = None
        self.has_left = False
        self._is_welcome = False
        self._is_revoked = False

    def connect(self) -> None:
        """Connect, or try again later."""
        server = self._world.life
        if self.has_left:
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
        token = token_of(self.name) if self.habit.has_token else None
        line.say(Hello(VERSION, self.name, token, resume=self._secret))
        if self._story.happens(self.habit.revoked):
            self._world.later(self._story.chance.choice(REVOKED_S), self._revoke)

    def _revoke(self) -> None:
        """Let the organiser take its name from it: it may lose the games under way."""
        if self._is_revoked or self._world.is_calm:
            return
        self._is_revoked = True
        is_replaced = not self.habit.has_token or self._story.happens(REPLACED)
        event = Event.RESERVED if is_replaced else Event.REVOKED
        self._did(event, Reason.DISCONNECTED, Reason.TIMEOUT)
        (self._world.reserve if is_replaced else self._world.revoke)(self.name)

    def cut(self) -> None:
        """Lose the connection to a server that died."""
        if self._line is not None:
            self._line.end()

    def calm_down(self) -> None:
        """Do nothing wrong from now on, and ask for nothing new."""
        habit = self.habit
        self.habit = replace(POLITE, joins=habit.joins, has_token=habit.has_token)
        if self._line is not None and self._is_welcome:
            self._end_season(self._line)

    def _end_season(self, line: Line) -> None:
        """Ask for no further match."""
        line.say(Unseek())
        if self.habit.joins:
            line.say(Leave(LADDER))

    def say_goodbye(self) -> None:
        """Leave for good."""
        self.has_left = True
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
            case Error(code=ErrorCode.BAD_TOKEN):
                self._on_bad_token(message)
            case Error(code=ErrorCode.QUARANTINED):
                self._story.tell(self.name, "hears of its quarantine")
                self._world.later(self._story.chance.uniform(1.0, 15.0), self._join_again)
            case Challenged() if message.to == self.name:
                self._on_challenged(line, message)
            case Listing():
                self._on_listing(line, message)
            case MatchOver():
                self._story.tell(self.name, "hears MatchOver")
                self._ask_for_match(line)
            case _:
                self._story.tell(self.name, f"hears {type(message).__name__}")

    def lost(self, line: Line) -> None:
        """Come back, unless another connection took over."""
        if line is self._line and not self.has_left:
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
            self._end_season(line)
        else:
            self._begin(line, welcome)

    def _begin(self, line: Line, welcome: Welcome) -> None:
        """Ask for what it came for."""
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

    def _on_bad_token(self, error: Error) -> None:
        """Leave: its name was taken from it, and no other is its own."""
        if not self._is_revoked:
            broken(Promise.OWN_NAME, f"{self.name} may use it: {error.message}")
        self.has_left = True

    def _on_listing(self, line: Line, listing: Listing) -> None:
        """Watch one of the games, no longer those before."""
        others = [each.game for each in listing.games if self.name not in each.names]
        if others and not self._world.is_calm:
            self._story.count(Event.WATCHED, self.name)
            line.say(Unwatch())
            line.say(Watch(game=self._story.chance.choice(others)))

    def _join_again(self) -> None:
        if self._line is not None and self._is_welcome and not self._world.is_calm:
            self._line.say(Join(LADDER))

    def _on_challenged(self, line: Line, challenged: Challenged) -> None:
        is_welcome = not self._world.is_calm and self._story.happens(ACCEPTED)
        line.say((Accept if is_welcome else Decline)(challenged.challenge))

    def _on_turn(self, line: Line, turn: Turn) -> None:
        habit, story = self.habit, self._story
        think_s = min(story.chance.expovariate(1 / habit.think_s), 0.25 * turn.deadline_ms / 1000)
        if story.happens(habit.look):
            line.say(List(story.chance.choice(tuple(Listable))))
        if story.happens(habit.flood):
            self._flood(line, turn)
        if story.happens(habit.pose) and self._world.life is not None:
            Stranger(self._world, story.chance.choice(RESERVED)).knock(self._world.life)
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

    def _flood(self, line: Line, turn: Turn) -> None:
        """Send many messages at a time, all of which it may send."""
        self._story.count(Event.FLOOD, self.name)
        provisional = Move(turn.game, turn.ply, turn.legal[0], provisional=True)
        messages = (
            *(List(what) for what in Listable),
            *(Watch(ladder=LADDER), Watch(game=turn.game), Watch(game="none"), Unwatch()),
            *(Seek(games=2), Unseek(), Challenge(self.name), Challenge("nobody"), Accept("none")),
            *(provisional, provisional, provisional),
        )
        for _ in range(FLOOD):
            line.say(self._story.chance.choice(messages))

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
