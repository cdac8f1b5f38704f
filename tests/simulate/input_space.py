"""What the worlds of a campaign have varied of what a server can be told and can answer.

A fault in a branch that needs a certain field, refusal or end of a game is found only by worlds
that have it. So each message to a server is noted, field by field, and what no world has varied can
be printed (``--inputs``). Settings are in ``knobs.py``, which has reasons for those that are
fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, get_args

from msgspec import Struct

from mancala.protocol.messages import ClientMessage, Error, ErrorCode, GameOver, Message, Reason

TWO: Final = 2
SOCKETS: Final = "only the full stack has sockets and frames; tests of net send it"
ONE: Final = "there is one version of the protocol"
UNVARIED: Final[Mapping[str, str]] = {
    "Goodbye.reconnect_after": "only a server says it",
    "Hello.protocol": ONE,
    "List.after": "what follows on a later page can't be checked; tests of listings have pages",
    "Review.seconds": "it is shown only; reviewers that take long are those that are late",
    "end wedged": "a hung program loses in headless matches; on a server a bot is away",
    "refusal bad_name": "the names of simulated bots are valid; tests of messages have others",
    "refusal internal": "every simulated store takes its work; tests of tables have one that fails",
    "refusal not_json": SOCKETS,
    "refusal shutting_down": "an in-process server does not drain; tests of the app do",
    "refusal timeout": SOCKETS,
    "refusal too_large": SOCKETS,
    "refusal unknown_type": SOCKETS,
    "refusal unsupported_protocol": ONE,
}
"""What in-process worlds do not vary, each with the reason."""


@dataclass(slots=True)
class InputSpace:
    """The values that were met.

    Attributes:
        values: by field of a message (``Move.pit``), up to two values; by message without fields,
            its name; by refusal and end of a game, their codes.
    """

    values: dict[str, set[str]] = field(default_factory=dict)

    def heard(self, message: Message) -> None:
        """Note a message to the server."""
        kind = type(message).__name__
        for name in message.__struct_fields__:
            self._note(f"{kind}.{name}", getattr(message, name))
        if not message.__struct_fields__:
            self.values[kind] = {"", "sent"}

    def told(self, message: Message) -> None:
        """Note a refusal or an end of a game, which have two values once they were met."""
        match message:
            case Error(code=code):
                self.values[f"refusal {code.value}"] = {"", "met"}
            case GameOver(reason=reason):
                self.values[f"end {reason.value}"] = {"", "met"}

    def add(self, other: InputSpace) -> None:
        """Add what another world has met."""
        for key, values in other.values.items():
            known = self.values.setdefault(key, set())
            known.update(sorted(values - known)[: TWO - len(known)])

    @property
    def unvaried(self) -> list[str]:
        """What was met with one value only, or not at all."""
        return sorted(key for key in _space() if len(self.values.get(key, ())) < TWO)

    def _note(self, key: str, value: object) -> None:
        known = self.values.setdefault(key, set())
        if len(known) < TWO:
            known.add(repr(value))


def _space() -> Iterator[str]:
    """Yield all fields of messages to a server, refusals, and ends of games."""
    kinds: tuple[type[Struct], ...] = get_args(ClientMessage)
    for kind in kinds:
        yield from (f"{kind.__name__}.{name}" for name in kind.__struct_fields__)
        if not kind.__struct_fields__:
            yield kind.__name__
    yield from (f"refusal {code.value}" for code in ErrorCode)
    yield from (f"end {reason.value}" for reason in Reason)
