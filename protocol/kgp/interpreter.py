"""The interpreter between a Kalah Game Protocol client and a seat in the arena.

Lines of the client and messages of the arena (``mancala.v1``) come in; actions come out. There is
no input or output and no clock: the caller passes the time, and :attr:`Interpreter.deadline` is
when it must call again. To the arena, the seat is like any other.

A client's faults are harmless. A line that cannot be read, an unknown command or a second ``mode``
is answered with ``error`` and one string, which quotes it; an answer to no open question is
ignored. After `MOST_FAULTS` faults the client is disconnected.

The protocol cannot resume a game, but by its document a token names the same client over several
connections. So a client that comes back with the same name and token takes its running games
back.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Protocol

from .. import messages as wire
from ..messages import ErrorCode, Message, Reason
from ..text import printable
from .actions import Action, Close, Fault, Policy, Relay, Speaker
from .freeplay import LONGEST_COMMENT, Freeplay
from .lines import VERSION, Command, KgpError, parse
from .verify import Verifier

MOST_FAULTS: Final = 100
LONGEST_NAME: Final = 48
LONGEST_LINE: Final = 256
NAMELESS: Final = "kgp"
_MOVE: Final = re.compile(r"[0-9]{0,9}@([0-9]{1,9}) move [0-9]{1,3}\s*")
_HTTP: Final = re.compile(r"[A-Z]{3,10} \S+ HTTP/[0-9.]{1,4}\s*")
"""A browser's request, whose body a page may have filled with commands in its visitor's name."""
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_.@+-]+")
_HOPELESS: Final = {
    ErrorCode.UNKNOWN_LADDER,
    ErrorCode.UNKNOWN_EVENT,
    ErrorCode.FORBIDDEN,
    ErrorCode.QUARANTINED,
    ErrorCode.LIMIT,
    ErrorCode.INVALID,
}


@dataclass(slots=True)
class _Identity:
    name: str = ""
    token: str = ""
    authors: str = ""


class ClientDirectory(Protocol):
    def name_guest(self, wanted: str) -> str:
        """Return a free name for a client without a token, made from the one it wants."""

    def session_of(self, name: str, token: str) -> str | None:
        """Return the running session of a client with this name and token, if there is one."""

    def remember(self, name: str, token: str, session: str) -> None:
        """Store the session of a client that may come back."""


class Interpreter:
    def __init__(
        self, policy: Policy, *, pick: Callable[[Sequence[int]], int], directory: ClientDirectory
    ) -> None:
        """Set up a conversation, which `greet` opens; ``pick`` chooses one of several at random."""
        self._policy = policy
        self._pick = pick
        self._directory = directory
        self._identity = _Identity()
        self._name = ""
        self._mode: Command | None = None
        self._verifier: Verifier | None = None
        self._faults = 0
        self._is_closed = False
        self._speaker = Speaker()
        self._freeplay = Freeplay(policy, self._speaker, pick)
        self._commands: dict[str, Callable[[Command, float], list[Action]]] = {
            "set": self._set,
            "mode": self._choose_mode,
            "move": self._freeplay.move,
            "yield": self._freeplay.yielded,
            "solution": self._solution,
            "pong": self._freeplay.pong,
            "ping": self._answer_ping,
            "goodbye": self._leave,
            "ok": _ignore,
            "error": _ignore,
        }
        self._messages: dict[type[Message], Callable[[Any, float], list[Action]]] = {
            wire.Welcome: self._welcome,
            wire.Challenged: self._answer_challenge,
            wire.GameStart: self._freeplay.start_game,
            wire.Turn: self._freeplay.ask,
            wire.Moved: self._freeplay.moved,
            wire.GameOver: self._freeplay.end_game,
            wire.MatchOver: self._seek_again,
            wire.Error: self._pass_on,
            wire.Goodbye: self._dismiss,
        }

    def lag_ms(self, acknowledged_s: float | None = None) -> float:
        """Return the lag in milliseconds, from the round trips of ``ping`` and ``pong``."""
        return self._freeplay.round_trips.lag_s(acknowledged_s) * 1000

    @property
    def deadline(self) -> float | None:
        """The instant at which to call :meth:`expire`; None if nothing is due."""
        due = inf if self._is_closed else self._freeplay.deadline
        return None if due == inf else due

    def greet(self, now: float) -> list[Action]:
        """Return the opening line, and start the keepalive."""
        self._freeplay.begin(now)
        return [self._speaker.say("kgp", *VERSION)]

    def skip_late(self, data: bytes) -> bytes:
        """Return what a client wrote without the moves for the question that was stopped last."""
        return self._freeplay.skip_late(data)

    def is_late(self, line: str) -> bool:
        """Return whether a line is a plain move for a question that is no longer open."""
        found = _MOVE.fullmatch(line)
        return found is not None and not self._freeplay.is_open(int(found[1]))

    def hear(self, line: str, now: float) -> list[Action]:
        if self._is_closed:
            return []
        if _HTTP.fullmatch(line):
            refused = self._speaker.say("error", "this port speaks no HTTP")
            return self._watched([refused, *self._part()])
        number: int | None = None
        try:
            command = parse(line)
            number = command.id
            if command.name not in self._commands:
                raise KgpError("unknown command")  # noqa: TRY301  # one place answers faults
            return self._watched(self._commands[command.name](command, now))
        except KgpError as error:
            fault = KgpError(error.detail, line.strip())
            return self._watched(self._report_fault(fault, number))

    def tell(self, message: Message, now: float) -> list[Action]:
        """Process a message of the arena; ignore those that the protocol has no words for."""
        if self._is_closed:
            return []
        return self._watched(self._messages.get(type(message), _ignore)(message, now))

    def expire(self, now: float) -> list[Action]:
        """Process all timers that are due at ``now``."""
        return [] if self._is_closed else self._watched(self._freeplay.expire(now))

    def _watched(self, actions: list[Action]) -> list[Action]:
        self._is_closed = Close() in actions
        return actions

    # Commands of the client

    def _set(self, command: Command, _now: float) -> list[Action]:
        if len(command.arguments) != 2:
            raise KgpError("set takes an option and its value")
        option, value = map(str, command.arguments)
        text = printable(value, LONGEST_LINE)
        match option:
            case "info:comment":
                self._freeplay.comment = printable(value, LONGEST_COMMENT)
            case "info:name":
                self._identity.name = text
            case "info:authors" | "info:author":
                self._identity.authors = text
            case "auth:token":
                self._identity.token = text
        return []

    def _choose_mode(self, command: Command, _now: float) -> list[Action]:
        if self._mode is not None:
            raise KgpError("the mode is chosen already")
        self._mode = command
        match command.arguments:
            case ("freeplay",):
                return [Relay(self._hello())]
            case ("verify",):
                self._verifier = Verifier(self._pick)
                return [self._speaker.say("ok", ref=command.id), self._pose(self._verifier)]
        return [self._speaker.say("error", "unsupported mode", ref=command.id), *self._part()]

    def _hello(self) -> wire.Hello:
        who = self._identity
        wanted = wire_name(who.name) or NAMELESS
        self._name = wanted if who.token else self._directory.name_guest(wanted)
        program = f"{who.name or NAMELESS} by {who.authors}" if who.authors else who.name
        return wire.Hello(
            wire.VERSION,
            self._name,
            token=who.token or None,
            agent=wire.Agent(program[:LONGEST_LINE] or NAMELESS),
            resume=self._directory.session_of(self._name, who.token) if who.token else None,
        )

    def _solution(self, command: Command, _now: float) -> list[Action]:
        if self._verifier is None:
            raise KgpError("no problem was set")
        wrong = self._verifier.check(command.ref, command.arguments)
        verdict = ("ok",) if wrong is None else ("error", wrong)
        return [self._speaker.say(*verdict, ref=command.id), self._pose(self._verifier)]

    def _pose(self, verifier: Verifier) -> Action:
        problem = verifier.pose(self._speaker.last_id + 2)
        return self._speaker.say("problem", problem.board, problem.pit)

    def _answer_ping(self, command: Command, _now: float) -> list[Action]:
        return [self._speaker.say("pong", ref=command.id)]

    def _leave(self, _command: Command, _now: float) -> list[Action]:
        return [Relay(wire.Goodbye()), Close()]

    def _report_fault(self, error: KgpError, number: int | None) -> list[Action]:
        self._faults += 1
        line = self._speaker.say("error", str(error), ref=number)
        if self._faults < MOST_FAULTS:
            return [line]
        fault = Fault(Reason.PROTOCOL, f"{MOST_FAULTS} lines made no sense", error.received)
        return [line, fault, *self._part()]

    # Messages of the arena

    def _welcome(self, welcome: wire.Welcome, _now: float) -> list[Action]:
        """Confirm the mode and seek games, unless the client has resumed its old ones."""
        if self._identity.token:
            self._directory.remember(self._name, self._identity.token, welcome.session)
        number = self._mode.id if self._mode is not None else None
        ok = self._speaker.say("ok", ref=number)
        return [ok] if welcome.resumed else [ok, *self._seek()]

    def _seek_again(self, _over: wire.MatchOver, _now: float) -> list[Action]:
        seeks = self._policy.ladder is None and self._policy.event is None
        return self._seek() if seeks else []

    def _seek(self) -> list[Action]:
        policy = self._policy
        entry = [] if policy.event is None else [Relay(wire.Enter(policy.event))]
        if policy.ladder is not None:
            return [*entry, Relay(wire.Join(policy.ladder))]
        if entry:
            return [*entry]
        return [Relay(wire.Seek("kalah", rated=policy.rated, games=policy.games))]

    def _answer_challenge(self, challenged: wire.Challenged, _now: float) -> list[Action]:
        if challenged.rules.is_kalah:
            return [Relay(wire.Accept(challenged.challenge))]
        return [Relay(wire.Decline(challenged.challenge, "this program knows other rules"))]

    def _pass_on(self, error: wire.Error, _now: float) -> list[Action]:
        is_paused = error.code is ErrorCode.LIMIT and error.ref == self._policy.ladder is not None
        if is_paused or error.code is ErrorCode.NOT_OPEN:
            return []  # it plays later, without asking again; many programs end at any error
        if self._policy.ladder is not None and error.ref == self._policy.event is not None:
            return []  # it plays in the ladder only
        line = self._speaker.say("error", error.message)
        if error.fatal or error.code not in _HOPELESS or self._freeplay.is_playing:
            return [line]
        return [line, Relay(wire.Goodbye()), *self._part()]

    def _dismiss(self, _goodbye: wire.Goodbye, _now: float) -> list[Action]:
        return self._part()

    def _part(self) -> list[Action]:
        return [self._speaker.say("goodbye"), Close()]


def wire_name(text: str) -> str:
    """Return a valid name made from a text; empty if the text has no valid character."""
    return _NOT_IN_NAMES.sub("-", text).lstrip("_.@+-").rstrip("-")[:LONGEST_NAME]


def _ignore(_said: object, _now: float) -> list[Action]:
    return []
