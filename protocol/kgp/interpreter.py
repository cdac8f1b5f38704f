"""An interpreter between two languages: a Kalah Game Protocol client, and an arena's seat.

What the client says comes in as lines, what the arena says as messages of ``mancala.v1``; actions
come out. No input or output, no clock: the caller says when, and asks for the next instant at
which something is due. So the arena sees a seat like any other.

Nothing that a client says in error harms anyone: a line that makes no sense, a command unknown, a
second ``mode`` are each answered with ``error`` and its one string; an answer to no open question
with nothing. Only a client that goes on and on like that is sent away.

The protocol has no resuming, but it says that a token names the same client over several
connections. So one that comes back with name and token while its games still run sits down at
them again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final, Protocol

from protocol import messages as said
from protocol.kgp.actions import Action, Close, Fault, Policy, Relay, Speaker
from protocol.kgp.freeplay import LONGEST_COMMENT, Freeplay
from protocol.kgp.lines import VERSION, Command, KgpError, parse, printable
from protocol.kgp.verify import Verifier
from protocol.messages import ErrorCode, Message, Reason
from protocol.rules import Capture

MOST_FAULTS: Final = 100
LONGEST_NAME: Final = 48
LONGEST_LINE: Final = 256
NAMELESS: Final = "kgp"
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_.@+-]+")
_HOPELESS: Final = {
    ErrorCode.UNKNOWN_LADDER,
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
    """Where clients are looked up."""

    def name_guest(self, wanted: str) -> str:
        """Turn the name that a client without a token wants into one that is free."""

    def recall(self, name: str, token: str) -> str | None:
        """Find the session that a client of that name and token has left running, if any."""

    def remember(self, name: str, token: str, session: str) -> None:
        """Keep the session of a client that may come back."""


class Interpreter:
    """One client's conversation."""

    def __init__(
        self,
        policy: Policy,
        *,
        pick: Callable[[Sequence[int]], int],
        directory: ClientDirectory,
    ) -> None:
        """Begin a conversation.

        Args:
            policy: how the client is treated.
            pick: chooses one of several numbers; handed in, since this room knows no chance.
            directory: names and sessions of clients.
        """
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
            said.Welcome: self._welcome,
            said.Challenged: self._answer_challenge,
            said.GameStart: self._freeplay.start_game,
            said.Turn: self._freeplay.ask,
            said.Moved: self._freeplay.moved,
            said.GameOver: self._freeplay.end_game,
            said.MatchOver: self._seek_again,
            said.Error: self._pass_on,
            said.Goodbye: self._dismiss,
        }

    @property
    def lag_ms(self) -> float:
        """The round trip last measured with ``ping`` and ``pong``."""
        return self._freeplay.round_trip_s * 1000

    @property
    def deadline(self) -> float | None:
        """When :meth:`expire` wants to be called; None when there is nothing to wait for."""
        due = inf if self._is_closed else self._freeplay.deadline
        return None if due == inf else due

    def greet(self, now: float) -> list[Action]:
        """Open the conversation."""
        self._freeplay.begin(now)
        return [self._speaker.say("kgp", *VERSION)]

    def hear(self, line: str, now: float) -> list[Action]:
        """Take a line of the client's."""
        if self._is_closed:
            return []
        number: int | None = None
        try:
            command = parse(line)
            number = command.id
            if command.name not in self._commands:
                raise KgpError("unknown command", line)  # noqa: TRY301  # one way to complain
            return self._watched(self._commands[command.name](command, now))
        except KgpError as error:
            return self._watched(self._complain(error, number))

    def tell(self, message: Message, now: float) -> list[Action]:
        """Take a message of the arena's; those that no client needs come to nothing."""
        if self._is_closed:
            return []
        return self._watched(self._messages.get(type(message), _ignore)(message, now))

    def expire(self, now: float) -> list[Action]:
        """Do what is due by now."""
        return [] if self._is_closed else self._watched(self._freeplay.expire(now))

    def _watched(self, actions: list[Action]) -> list[Action]:
        self._is_closed = Close() in actions
        return actions

    # What the client says

    def _set(self, command: Command, _now: float) -> list[Action]:
        if len(command.arguments) != 2:
            raise KgpError("set takes an option and its value", str(command.arguments))
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
            raise KgpError("the mode is chosen already", str(command.arguments))
        self._mode = command
        match command.arguments:
            case ("freeplay",):
                return [Relay(self._hello())]
            case ("verify",):
                self._verifier = Verifier(self._pick)
                return [self._speaker.say("ok", ref=command.id), self._pose(self._verifier)]
        return [self._speaker.say("error", "unsupported mode", ref=command.id), *self._part()]

    def _hello(self) -> said.Hello:
        who = self._identity
        wanted = wire_name(who.name) or NAMELESS
        self._name = wanted if who.token else self._directory.name_guest(wanted)
        program = f"{who.name or NAMELESS} by {who.authors}" if who.authors else who.name
        return said.Hello(
            said.VERSION,
            self._name,
            token=who.token or None,
            agent=said.Agent(program[:LONGEST_LINE] or NAMELESS),
            resume=self._directory.recall(self._name, who.token) if who.token else None,
        )

    def _solution(self, command: Command, _now: float) -> list[Action]:
        if self._verifier is None:
            raise KgpError("no problem was set", str(command.arguments))
        wrong = self._verifier.check(command.ref, command.arguments)
        verdict = ("ok",) if wrong is None else ("error", wrong)
        return [self._speaker.say(*verdict, ref=command.id), self._pose(self._verifier)]

    def _pose(self, verifier: Verifier) -> Action:
        problem = verifier.pose(self._speaker.last_id + 2)
        return self._speaker.say("problem", problem.board, problem.pit)

    def _answer_ping(self, command: Command, _now: float) -> list[Action]:
        return [self._speaker.say("pong", ref=command.id)]

    def _leave(self, _command: Command, _now: float) -> list[Action]:
        return [Relay(said.Goodbye()), Close()]

    def _complain(self, error: KgpError, number: int | None) -> list[Action]:
        self._faults += 1
        line = self._speaker.say("error", error.detail, ref=number)
        if self._faults < MOST_FAULTS:
            return [line]
        fault = Fault(Reason.PROTOCOL, f"{MOST_FAULTS} lines made no sense", error.received)
        return [line, fault, *self._part()]

    # What the arena says

    def _welcome(self, welcome: said.Welcome, _now: float) -> list[Action]:
        """Seek games, unless the client is back at those it left."""
        if self._identity.token:
            self._directory.remember(self._name, self._identity.token, welcome.session)
        number = self._mode.id if self._mode is not None else None
        ok = self._speaker.say("ok", ref=number)
        return [ok] if welcome.resumed else [ok, *self._seek()]

    def _seek_again(self, _over: said.MatchOver, _now: float) -> list[Action]:
        return [] if self._policy.ladder is not None else self._seek()

    def _seek(self) -> list[Action]:
        policy = self._policy
        if policy.ladder is not None:
            return [Relay(said.Join(policy.ladder))]
        return [Relay(said.Seek("kalah", rated=policy.rated, games=policy.games))]

    def _answer_challenge(self, challenged: said.Challenged, _now: float) -> list[Action]:
        rules = challenged.rules
        if rules.capture is Capture.OPPOSITE and not (rules.relap or rules.majority):
            return [Relay(said.Accept(challenged.challenge))]
        return [Relay(said.Decline(challenged.challenge, "this program knows other rules"))]

    def _pass_on(self, error: said.Error, _now: float) -> list[Action]:
        line = self._speaker.say("error", error.message)
        if error.fatal or error.code not in _HOPELESS or self._freeplay.is_playing:
            return [line]
        return [line, Relay(said.Goodbye()), *self._part()]

    def _dismiss(self, _goodbye: said.Goodbye, _now: float) -> list[Action]:
        return self._part()

    def _part(self) -> list[Action]:
        return [self._speaker.say("goodbye"), Close()]


def wire_name(text: str) -> str:
    """Make a name for the arena out of any text; empty when nothing of it will do."""
    return _NOT_IN_NAMES.sub("-", text).lstrip("_.@+-").rstrip("-")[:LONGEST_NAME]


def _ignore(_said: object, _now: float) -> list[Action]:
    return []
