"""Simulated bots that play: good ones, and those with faults that an arena has to bear."""

from dataclasses import replace
from functools import partial
from typing import Final

from mancala.protocol import messages as wire
from tests.simulate.event_knobs import EVENT, WORD
from tests.simulate.faults import LADDER, POLITE, BotFaults
from tests.simulate.ledger import Transcript
from tests.simulate.promises import Promise, broken
from tests.simulate.sayings import (
    draw_challenge,
    draw_flood,
    draw_info,
    draw_long_challenge,
    draw_seek,
    draw_submission,
)
from tests.simulate.setup import Setup
from tests.simulate.strangers import Stranger
from tests.simulate.tokens import RESERVED, token_of
from tests.simulate.trace import RareEvent
from tests.simulate.wire import SimulatedLine

ADDRESSES: Final = ("192.0.2.1", "192.0.2.1", "192.0.2.2", "198.51.100.3")
FIRST_RETRY_S: Final = 0.2
FAST_S: Final = 0.02
ACCEPTED: Final = 0.7
"""The share of challenges that are accepted."""
REVOKED_S: Final = (0.03, 0.06, 0.1, 10.0)
"""When tokens are revoked, from when their bots say hello."""
REPLACED: Final = 0.7
"""The share of tokens that are replaced instead, by one that their bots do not have."""
CRASHES: Final = 0.02
"""How often a program that the server runs crashes instead of answering; it is started again."""
MOST_VERSIONS: Final = 4
"""Versions that a bot has in all."""
TIMES: Final = (1, 1, 1, 1, 1, 1, 4, 70)
"""How often a challenger asks at a time."""
AGAIN_S: Final = (0.5, 5.0)
"""After which time a challenger that was refused asks again: the least and the most."""
ENTER_AGAIN_S: Final = (1.0, 4.0)
"""After which time a bot that may not enter an event tries again."""
WITHDRAWS: Final = 0.1
"""The share of entries that are taken back later."""
FORGETS: Final = 0.5
"""The share of goodbyes after which a bot does not immediately try to resume what it left."""


class SimBot:
    """One bot from its first connection to its last.

    Attributes:
        address: the address of its machine; some share one.
    """

    def __init__(self, world: Setup, name: str, faults: BotFaults) -> None:
        self.name = name
        self.address = world.trace.rng.choice(ADDRESSES)
        self.faults = faults
        self._world = world
        self._trace = world.trace
        self._line: SimulatedLine | None = None
        self._secret: str | None = None
        self.has_left = False
        self._is_welcome = False
        self._is_revoked = False
        self._is_hog = faults.hogs
        self._will_ask = False
        self._agent = world.trace.rng.choice(
            (None, wire.Agent("sim"), wire.Agent("simulated", "1"))
        )
        self._takes_challenges = world.trace.happens(0.5)

    def connect(self) -> None:
        server = self._world.server_run
        if self.has_left:
            return
        if server is None or server.is_over:
            self._world.later(FIRST_RETRY_S, self.connect)
            return
        line = SimulatedLine(
            self,
            server,
            self._trace,
            self._world.later,
            delay_s=self.faults.delay_s,
            is_timed=self.faults.is_timed,
        )
        if self._line is not None and self._line.is_open:
            self._trace.count(RareEvent.REPLACED, self.name)
        self._line = line
        self._is_welcome = False
        line.seat.is_own = self._is_own
        token = token_of(self.name) if self.faults.has_token and not self._is_own else None
        secret = None if self._is_own else self._secret
        line.say(self._hello(token, secret))
        if self._trace.happens(self.faults.revoked):
            self._world.later(self._trace.rng.choice(REVOKED_S), self._revoke)

    def _hello(self, token: str | None, secret: str | None) -> wire.Hello:
        if self._trace.happens(self.faults.updates):
            self._world.ledger.did(self.name)  # versions of a bot are counted by the day
            version = self._trace.rng.randint(1, MOST_VERSIONS)
            self._agent = wire.Agent("sim", str(version))
        return wire.Hello(
            wire.VERSION,
            self.name,
            token,
            self._agent,
            resume=secret,
            challenges=self._takes_challenges,
        )

    def _revoke(self) -> None:
        """Let the organiser take its name from it: it may lose the games under way."""
        if self._is_revoked or self._world.is_calm:
            return
        self._is_revoked = True
        is_replaced = not self.faults.has_token or self._trace.happens(REPLACED)
        event = RareEvent.RESERVED if is_replaced else RareEvent.REVOKED
        self._did(event, wire.Reason.DISCONNECTED, wire.Reason.TIMEOUT)
        (self._world.reserve if is_replaced else self._world.revoke)(self.name)

    def cut(self) -> None:
        """Lose the connection to a server that died."""
        if self._line is not None:
            self._line.end()

    def calm_down(self) -> None:
        faults = self.faults
        self.faults = replace(POLITE, joins=faults.joins, has_token=faults.has_token)
        if self._line is not None and self._is_welcome:
            self._end_season(self._line)
            self._give_back(self._line)

    def _give_back(self, line: SimulatedLine) -> None:
        if self._is_hog:
            self._world.ledger.did(self.name, wire.Reason.DISCONNECTED)
            line.say(wire.Goodbye())

    def _end_season(self, line: SimulatedLine) -> None:
        line.say(wire.Unseek())
        if self.faults.joins:
            line.say(wire.Leave(LADDER))

    def say_goodbye(self) -> None:
        self.has_left = True
        if self._line is not None:
            self._line.say(wire.Goodbye())

    def heard(self, line: SimulatedLine, message: wire.Message) -> None:
        match message:
            case wire.Welcome():
                self._on_welcome(line, message)
            case wire.Turn():
                self._on_turn(line, message)
            case wire.Error():
                self._on_error(line, message)
            case wire.Challenged() if message.to == self.name:
                self._on_challenged(line, message)
            case wire.Listing():
                self._on_listing(line, message)
            case wire.Entered():
                self._on_entered(line)
            case wire.MatchOver():
                self._trace.tell(self.name, "hears MatchOver")
                self._ask_for_match(line)
            case _:
                self._trace.tell(self.name, f"hears {type(message).__name__}")

    def _on_error(self, line: SimulatedLine, error: wire.Error) -> None:
        match error.code:
            case wire.ErrorCode.BAD_RESUME | wire.ErrorCode.BAD_NAME:
                self._secret = None
            case wire.ErrorCode.BAD_TOKEN:
                self._on_bad_token(error)
            case wire.ErrorCode.DECLINED | wire.ErrorCode.UNKNOWN_OPPONENT | wire.ErrorCode.LIMIT:
                if not self._will_ask:
                    self._will_ask = True
                    delay_s = self._trace.rng.uniform(*AGAIN_S)
                    self._world.later(delay_s, partial(self._ask_again, line))
            case wire.ErrorCode.FORBIDDEN if error.ref == EVENT and not self._world.is_calm:
                self._later(self._trace.rng.uniform(*ENTER_AGAIN_S), line, wire.Enter(EVENT, WORD))
            case wire.ErrorCode.QUARANTINED:
                self._trace.tell(self.name, "hears of its quarantine")
                self._world.later(self._trace.rng.uniform(1.0, 15.0), self._join_again)
            case _:
                self._trace.tell(self.name, "hears Error")

    def lost(self, line: SimulatedLine) -> None:
        """Come back, unless another connection took over."""
        if line is self._line and not self.has_left:
            self._world.later(self._trace.rng.uniform(0.05, self._longest_return_s), self.connect)

    @property
    def _is_own(self) -> bool:
        """Whether the server runs it; its name takes its seat back."""
        return self.name in self._world.config.own_names

    @property
    def _longest_return_s(self) -> float:
        """How long it takes to come back: the server's own programs compile when they start."""
        is_late = self._is_own and not self._world.is_calm
        return 3 * self._world.grace_s if is_late else 0.5

    @property
    def ledger(self) -> Transcript:
        return self._world.ledger

    def _did(self, event: RareEvent, *reasons: wire.Reason) -> None:
        """Count what it does, and for which it may lose."""
        self._trace.count(event, self.name)
        self._world.ledger.did(self.name, *reasons)

    def _on_welcome(self, line: SimulatedLine, welcome: wire.Welcome) -> None:
        if welcome.resumed:
            self._trace.count(RareEvent.RESUME, self.name)
        self._secret = welcome.session
        self._is_welcome = True
        if not self._world.is_calm:
            self._begin(line, welcome)
            return
        self._end_season(line)
        if welcome.resumed:
            self._give_back(line)

    def _begin(self, line: SimulatedLine, welcome: wire.Welcome) -> None:
        if (wait := self._world.enters.get(self.name)) is not None:
            self._enter(line, wait)
        if self.faults.watches:
            line.say(wire.Watch(ladder=LADDER))
        if self.faults.has_token:
            for part in draw_submission(self._trace.rng):
                line.say(part)
        if not welcome.resumed and self.faults.joins:
            line.say(self._join())
        elif not welcome.matches:
            self._ask_for_match(line)

    def _enter(self, line: SimulatedLine, wait: float) -> None:
        if wait:
            self._later(wait, line, wire.Enter(EVENT, WORD))
        else:
            line.say(wire.Enter(EVENT, WORD))

    def _join(self) -> wire.Join:
        return wire.Join(LADDER, self._trace.rng.choice((None, None, None, 3)))

    def _ask_for_match(self, line: SimulatedLine) -> None:
        if self.faults.joins or self._world.is_calm:
            return
        if self.faults.hogs:
            line.say(self._long_challenge())
        else:
            self._ask(line)

    def _ask(self, line: SimulatedLine) -> None:
        rng, config = self._trace.rng, self._world.config
        if not self.faults.challenges:
            line.say(draw_seek(rng, config))
            return
        for _ in range(rng.choice(TIMES)):
            line.say(draw_challenge(rng, config))

    def _long_challenge(self) -> wire.Challenge:
        self._did(RareEvent.HOG, wire.Reason.TIMEOUT, wire.Reason.DISCONNECTED)
        return draw_long_challenge(self._trace.rng, self._world.config.play)

    def _ask_again(self, line: SimulatedLine) -> None:
        self._will_ask = False
        if line is self._line and self._is_welcome and self.faults.challenges:
            self._ask_for_match(line)

    def _on_bad_token(self, error: wire.Error) -> None:
        """Leave: its name was taken from it, and no other is its own."""
        if not self._is_revoked:
            broken(Promise.OWN_NAME, f"{self.name} may use it: {error.message}")
        self.has_left = True

    def _on_listing(self, line: SimulatedLine, listing: wire.Listing) -> None:
        others = [each.game for each in listing.games if self.name not in each.names]
        if others and not self._world.is_calm:
            self._trace.count(RareEvent.WATCHED, self.name)
            line.say(self._trace.rng.choice((wire.Unwatch(), wire.Unwatch(ladder=LADDER))))
            line.say(wire.Watch(game=self._trace.rng.choice(others)))

    def _join_again(self) -> None:
        if self._line is not None and self._is_welcome and not self._world.is_calm:
            self._line.say(self._join())

    def _on_entered(self, line: SimulatedLine) -> None:
        self._trace.tell(self.name, "hears Entered")
        if self._trace.happens(WITHDRAWS):
            self._later(self._trace.rng.uniform(0.0, 30.0), line, wire.Withdraw(EVENT))

    def _on_challenged(self, line: SimulatedLine, challenged: wire.Challenged) -> None:
        is_welcome = not self._world.is_calm and self._trace.happens(ACCEPTED)
        busy = self._trace.rng.choice(("", "busy"))
        answer = wire.Accept(challenged.challenge) if is_welcome else None
        line.say(answer or wire.Decline(challenged.challenge, busy))

    def _on_turn(self, line: SimulatedLine, turn: wire.Turn) -> None:
        faults, trace = self.faults, self._trace
        think_s = min(trace.rng.expovariate(1 / faults.think_s), 0.25 * turn.deadline_ms / 1000)
        if self._is_own and not self._world.is_calm and trace.happens(CRASHES):
            trace.count(RareEvent.DROP, self.name)
            line.break_off(server_learns_s=FAST_S)
            return
        if trace.happens(faults.look):
            line.say(wire.List(trace.rng.choice(tuple(wire.Listable))))
        if trace.happens(faults.flood):
            self._flood(line, turn)
        if trace.happens(faults.pose) and self._world.server_run is not None:
            name = trace.rng.choice((*RESERVED, self.name))
            Stranger(self._world, name).knock(self._world.server_run)
        if trace.happens(faults.drop):
            self._drop(line)
            return
        if trace.happens(faults.provisional):
            pit = trace.rng.choice(turn.legal)
            self._later(think_s / 2, line, wire.Move(turn.game, turn.ply, pit, provisional=True))
        if trace.happens(faults.silent):
            self._did(RareEvent.SILENT, wire.Reason.TIMEOUT)
            return
        if trace.happens(faults.belated):
            self._be_belated(line, turn)
            return
        if trace.happens(faults.late):
            self._did(RareEvent.LATE, wire.Reason.TIMEOUT)
            think_s = self._time_to_flag(turn)
        self._world.later(think_s, partial(self._answer, line, turn))

    def _be_belated(self, line: SimulatedLine, turn: wire.Turn) -> None:
        """Send provisional answers around the flag, the last of which may be late."""
        self._did(RareEvent.BELATED, wire.Reason.TIMEOUT)
        for _ in range(self._trace.rng.randint(1, 2)):
            pit = self._trace.rng.choice(turn.legal)
            belated = wire.Move(turn.game, turn.ply, pit, provisional=True)
            self._later(self._time_to_flag(turn), line, belated)

    def _flood(self, line: SimulatedLine, turn: wire.Turn) -> None:
        self._trace.count(RareEvent.FLOOD, self.name)
        for message in draw_flood(self._trace.rng, self.name, turn):
            line.say(message)
        line.say_anything(wire.Resign("none"))

    def _time_to_flag(self, turn: wire.Turn) -> float:
        """Return a time to think that ends about when the flag falls; the server may be held up."""
        rng = self._trace.rng
        left_s = self._world.ledger.flag_at(turn) - self._trace.now()
        self._world.hold_up(left_s - rng.choice((0.002, 0.2)), 0.3)
        return max(0.0, left_s + rng.choice((0.03, 0.1, 0.5)) * rng.uniform(-1.0, 1.0))

    def _answer(self, line: SimulatedLine, turn: wire.Turn) -> None:
        faults, trace = self.faults, self._trace
        answer = wire.Move(
            turn.game, turn.ply, trace.rng.choice(turn.legal), info=draw_info(trace.rng)
        )
        if trace.happens(faults.lie):
            self._did(RareEvent.LIE, wire.Reason.ILLEGAL)
            answer = wire.Move(turn.game, turn.ply, 15)
        elif trace.happens(faults.resign):
            self._did(RareEvent.RESIGNED, wire.Reason.RESIGNED)
            line.say(wire.Resign(turn.game, "out of ideas" if turn.ply % 2 else ""))
            return
        elif trace.happens(faults.leave):
            self._did(RareEvent.DEPARTURE, wire.Reason.DISCONNECTED)
            line.say(wire.Goodbye(trace.rng.choice(("", "enough"))))
            if trace.happens(FORGETS):
                self._secret = None
            else:
                self.connect()
            return
        elif trace.happens(faults.nonsense):
            self._did(RareEvent.NONSENSE, wire.Reason.PROTOCOL)
            line.say_anything(wire.Hello(wire.VERSION, self.name))
        line.say(answer)
        if trace.happens(faults.twice):
            trace.count(RareEvent.DUPLICATE, self.name)
            line.say(answer)
        if trace.happens(faults.again):
            self._world.ledger.did(self.name, wire.Reason.TIMEOUT)
            self.connect()

    def _later(self, delay_s: float, line: SimulatedLine, message: wire.Message) -> None:
        self._world.later(delay_s, partial(line.say, message))

    def _drop(self, line: SimulatedLine) -> None:
        faults, trace = self.faults, self._trace
        is_half_open = trace.happens(faults.half_open)
        event = RareEvent.HALF_OPEN if is_half_open else RareEvent.DROP
        self._did(event, wire.Reason.TIMEOUT, wire.Reason.DISCONNECTED)
        learns_s = trace.rng.uniform(1.0, 8.0) if is_half_open else FAST_S
        if trace.happens(faults.absent):
            trace.count(RareEvent.ABSENCE, self.name)
            self._line = None
            self._world.later(self._world.grace_s * 1.5, self.connect)
        line.break_off(server_learns_s=learns_s)
