"""Names that clients bind to tokens of their own.

Clients of the Kalah Game Protocol choose their tokens themselves. Where the organiser lets them
(``kgp.claim_names``), the first token that comes with a free name is kept, and from then on the
name is its bearer's, as if the token had been issued. A name bound so stays reserved, so an address
may bind only a few in 24 hours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from server.config.settings import Config
from server.context import Context
from server.model.credentials import TokenProblem
from server.model.day_counts import Counted, CountKind, DayCounts
from server.net.prices import network_of
from server.net.seat import Seat

SHORTEST_TOKEN: Final = 8
"""Characters; a shorter token could be found by trying."""


class TokenBinder(Protocol):
    """Binds free names to tokens; the answers come later, on the event loop."""

    def bind(
        self, name: str, token: str, at: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Bind a free name to a token; call ``answer`` with None or with what is wrong."""


class Claims:
    """Decides who may bind a free name to a token, and has it stored."""

    def __init__(self, config: Config, tokens: TokenBinder, context: Context) -> None:
        """Begin with no claim; :meth:`recall` brings those of a former server.

        Args:
            config: the server's settings.
            tokens: stores the tokens.
            context: clock and log.
        """
        self._tokens = tokens
        self._context = context
        self._most = config.kgp.claims_a_day
        anchors = (name for ladder in config.ladder for name in ladder.anchors)
        self._reserved = frozenset((*config.house_names, *anchors))
        self._claimed = DayCounts()

    def claim(
        self, seat: Seat, name: str, token: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Bind a free name to a client's token.

        Args:
            seat: the client's connection.
            name: the name, for which there is no token yet.
            token: the token that the client chose.
            answer: gets None when the client may log in, or what is wrong.
        """
        problem = self._problem(seat, name, token)
        if problem is not None:
            answer(TokenProblem(problem))
            return
        note = partial(self._note, seat, name, answer)
        self._tokens.bind(name, token, self._context.utc(), note)

    def _problem(self, seat: Seat, name: str, token: str) -> str | None:
        if name in self._reserved:
            return f"the name {name} is the server's own"
        if len(token) < SHORTEST_TOKEN:
            return f"a token of your own has at least {SHORTEST_TOKEN} characters"
        key, now = network_of(seat.address), self._context.now()
        if not self._claimed.has_room(key, name, now, most=self._most):
            return f"{self._most} new names a day from one address are enough; {name} is not bound"
        if self._claimed.note(key, name, now):
            counted = Counted(CountKind.CLAIM, key, name, self._context.utc())
            self._context.journal.commit([counted], lambda: None)
        return None

    def recall(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the loop's clock."""
        self._claimed.note(counted.key, counted.item, since)

    def _note(
        self,
        seat: Seat,
        name: str,
        answer: Callable[[TokenProblem | None], None],
        problem: TokenProblem | None,
    ) -> None:
        if problem is None:
            self._context.log.info("name bound", name=name, address=seat.address)
        answer(problem)
