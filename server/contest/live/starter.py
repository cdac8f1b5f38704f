"""What an event asks of the server that holds it: who is there, and that matches begin."""

from collections.abc import Callable, Collection
from typing import Protocol

from mancala.protocol.messages import Message

from ...match.participant import Participant
from ...model.contests import KeptEvent
from ...model.match import EventContext, Terms


class ContestStarter(Protocol):
    @property
    def is_draining(self) -> bool:
        """Whether no match may begin."""

    def is_here(self, name: str) -> bool:
        """Return whether a bot is connected, and may hear of a match."""

    def has_session(self, name: str) -> bool:
        """Return whether a bot is connected, or its session is kept for it."""

    def back_by(self, name: str) -> float:
        """Return when a bot that the server cut off could be back at the latest; 0 for others."""

    def is_free(self, name: str) -> bool:
        """Return whether a bot may play one more match, and is in no match of a ladder."""

    def can_rate(self, ladder: str | None) -> bool:
        """Return whether the ladder that is to count an event's games is there, if any is to."""

    def standing_in(self, ladder: str | None, player: Participant) -> tuple[float | None, int]:
        """Return a bot's rating in a ladder, None without games there, and how many it has."""

    def send(self, name: str, message: Message) -> None:
        """Send a message to a bot, if it is connected and welcomed."""

    def review_revealed(self) -> None:
        """Have games reviewed that were hidden until now, and are in the store's lists."""

    def release(self, names: Collection[str]) -> None:
        """Let ladders pair bots again, which they did not while the event was played."""

    def read_event(self, name: str, answer: Callable[[KeptEvent | None], None]) -> None:
        """Call ``answer`` with an event as the store has it, None before its first step."""

    def open_event_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        event_context: EventContext,
        rated: str | None = None,
    ) -> None:
        """Start a match between two connected bots; the ladder ``rated`` may count it too."""
