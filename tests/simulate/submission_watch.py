"""Events that bots submit: what the server has answered is kept, as it was sent."""

from collections import defaultdict
from collections.abc import Mapping

from mancala.protocol.messages import Message, Submit, Submitted
from tests.simulate.promises import Promise, broken


class SubmissionWatch:
    """What was submitted, and what was answered."""

    def __init__(self) -> None:
        self._parts: dict[str, tuple[str, list[str]]] = {}
        self._sent: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._answered: dict[str, list[str]] = {}

    def arrived(self, name: str, part: Submit) -> None:
        which, parts = self._parts.get(name, ("", []))
        parts = [*parts, part.text] if which == part.submission else [part.text]
        self._parts[name] = part.submission, parts
        if not part.more:
            self._sent[name, part.submission].append("".join(parts))
            del self._parts[name]

    def greeted(self, name: str) -> None:
        """Forget what was half sent on a former connection."""
        self._parts.pop(name, None)

    def told(self, name: str, message: Message) -> None:
        if isinstance(message, Submitted):
            sent = self._sent[name, message.submission]
            if not sent:
                broken(Promise.SUBMITTED, f"{name} has not sent {message.submission}")
            self._answered[message.key] = sent

    def check(self, stored: Mapping[str, str]) -> None:
        for key, sent in self._answered.items():
            if stored.get(key) not in sent:
                broken(Promise.SUBMITTED, f"{key} was answered; stored: {stored.get(key)}")
