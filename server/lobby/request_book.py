"""Open seeks and challenges, and how they are matched; pure.

A seek is matched with the longest-waiting one that wants the same rules, clock, rating and number
of games. A seek that names an opponent is matched with that one only, and only if that opponent's
seek allows it too. A bot is never matched with itself. It has one seek at a time: a new one
replaces the old.
"""

from collections.abc import Callable

from mancala.protocol.messages import ErrorCode
from mancala.protocol.text import quantity

from ..config.settings import LiveConfig
from ..match.participant import RequestError
from ..model.match import OpenChallenge, OpenSeek, Pairing, Terms


class RequestBook:
    def __init__(self, new_id: Callable[[], str], config: LiveConfig) -> None:
        self._new_id = new_id
        self._config = config
        self._seeks: dict[str, OpenSeek] = {}
        self._challenges: dict[str, OpenChallenge] = {}

    def open_seek(self, name: str) -> OpenSeek | None:
        return self._seeks.get(name)

    def seek(self, seek: OpenSeek) -> Pairing | None:
        self._seeks.pop(seek.name, None)
        for other in self._seeks.values():
            if other.suits(seek):
                del self._seeks[other.name]
                return Pairing((other.name, seek.name), seek.terms)
        self._seeks[seek.name] = seek
        return None

    def others(self, seek: OpenSeek) -> list[OpenSeek]:
        return [other for other in self._seeks.values() if other.name != seek.name]

    def unseek(self, name: str) -> OpenSeek | None:
        return self._seeks.pop(name, None)

    def challenge(
        self, by: str, to: str, terms: Terms, *, seat: int = 0, code: str = ""
    ) -> OpenChallenge:
        """Open a challenge, or refuse it; ``seat`` is the challenger's in the first game."""
        if by == to:
            raise RequestError(ErrorCode.UNKNOWN_OPPONENT, "a bot can't play itself")
        most = self._config.now.limits.challenges
        if sum(other.by == by for other in self._challenges.values()) >= most:
            detail = f"{quantity(most, 'challenge is', 'challenges are')} open already"
            raise RequestError(ErrorCode.LIMIT, detail)
        opened = OpenChallenge(self._new_id(), by, to, terms, seat, code)
        self._challenges[opened.id] = opened
        return opened

    def open_to(self, name: str) -> list[OpenChallenge]:
        return [opened for opened in self._challenges.values() if opened.to == name]

    def open_of(self, name: str) -> list[OpenChallenge]:
        """Return the challenges of a bot that wait for an answer."""
        return [opened for opened in self._challenges.values() if opened.by == name]

    def accept(self, challenge: str, name: str) -> Pairing:
        """Close a challenge of another bot as accepted; RequestError when there is none."""
        opened = self._challenges.get(challenge)
        if opened is None or opened.to != name:
            raise _unknown(challenge)
        del self._challenges[challenge]
        names = (opened.by, opened.to) if opened.seat == 0 else (opened.to, opened.by)
        return Pairing(names, opened.terms)

    def decline(self, challenge: str, name: str) -> OpenChallenge:
        """Close a challenge as declined by the one side or withdrawn by the other."""
        opened = self._challenges.get(challenge)
        if opened is None or name not in (opened.by, opened.to):
            raise _unknown(challenge)
        return self._challenges.pop(challenge)

    def withdraw(self, name: str) -> list[OpenChallenge]:
        """Close every challenge that concerns the bot and return them."""
        closed = [opened for opened in self._challenges.values() if name in (opened.by, opened.to)]
        for opened in closed:
            del self._challenges[opened.id]
        return closed


def _unknown(challenge: str) -> RequestError:
    return RequestError(ErrorCode.UNKNOWN_CHALLENGE, "no such challenge waits for you", challenge)
