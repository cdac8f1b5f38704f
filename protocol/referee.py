"""One game, refereed without input or output.

The caller says what happened and when (``now``, in seconds on its own clock); the referee answers
with events to announce, and with the instant at which it wants to be asked again. Server,
headless match and replay all drive this same machine.

    events = referee.start(now)
    events = referee.play(player, ply, pit, now)     # an answer came
    events = referee.expire(now)                     # deadline() has passed

Every question has a number, ``ply``: how many sowings came before it. An answer repeats it. An
answer to an older number is late and is dropped without a word, since no polite bot can avoid
it. An answer to a question that was not put to that player is no accident, and ends the game.

A player who is gone keeps the seat while the clock runs, and for ``grace_s``; whichever ends
first ends the game. When nobody is there any more the game is aborted and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from protocol.clock import Clock, Ledger, TimeControl, TimeoutPolicy
from protocol.messages import Evidence, Info, Reason
from protocol.rules import Board, Sowing

NOBODY_THERE: Final = "both players were gone"


class Asked(NamedTuple):
    """A question was put.

    Attributes:
        player: to whom.
        ply: its number.
        board: the position.
        allowed_ms: time to think.
    """

    player: int
    ply: int
    board: Board
    allowed_ms: float


class Played(NamedTuple):
    """A move was made.

    Attributes:
        player: whose.
        ply: the question it answers.
        pit: the pit sown.
        sowing: what it did.
        ledger: the time it took.
        clock: both clocks after it.
        info: what the bot said of its thinking.
        forced: whether the referee chose it, the time being up.
    """

    player: int
    ply: int
    pit: int
    sowing: Sowing
    ledger: Ledger
    clock: Clock
    info: Info | None
    forced: bool


class Ended(NamedTuple):
    """The game is over.

    Attributes:
        winner: who won; None for a draw or when it does not count.
        stores: the final stores, what an ended game leaves included.
        reason: why it is over.
        evidence: the facts, when it was a forced end.
    """

    winner: int | None
    stores: tuple[int, int]
    reason: Reason
    evidence: Evidence | None


Event = Asked | Played | Ended


class LedgerEntry(NamedTuple):
    """A move as a journal keeps it, enough to take a game up again."""

    pit: int
    elapsed_ms: float
    lag_ms: float


class _Answer(NamedTuple):
    pit: int
    info: Info | None


def _first(legal: tuple[int, ...]) -> int:
    return legal[0]


class Referee:
    """One game between players 0 and 1.

    Attributes:
        opening: the position it began from.
        board: the position now.
        control: the limits in force.
        clock: both players' time.
        moves: the pits sown so far.
        ended: how it ended, or None while it goes on.
    """

    def __init__(
        self,
        board: Board,
        control: TimeControl,
        *,
        grace_s: float = 30.0,
        pick: Callable[[tuple[int, ...]], int] = _first,
    ) -> None:
        """Set up a game.

        Args:
            board: the position to begin from.
            control: the limits.
            grace_s: how long the seat of a player who is gone is kept.
            pick: chooses among legal pits for a player out of time under the policy ``random``;
                handed in, since this room knows no chance.
        """
        self.opening = board
        self.board = board
        self.control = control
        self.clock = Clock.set_up(control)
        self.moves: list[int] = []
        self.ended: Ended | None = None
        self._grace_s = grace_s
        self._pick = pick
        self._asked = False
        self._provisional: _Answer | None = None
        self._lag_ms = [0.0, 0.0]
        self._gone: list[float | None] = [None, None]

    @property
    def ply(self) -> int:
        """The number of the present question."""
        return len(self.moves)

    @property
    def player(self) -> int:
        """Whose turn it is."""
        return self.board.player

    def is_present(self, player: int) -> bool:
        """Tell whether the player's connection stands."""
        return self._gone[player] is None

    def has_sown(self, player: int) -> bool:
        """Tell whether the player has made a move yet."""
        board = self.opening
        for pit in self.moves:
            if board.player == player:
                return True
            board = board.sow(pit).board
        return False

    def start(self, now: float) -> list[Event]:
        """Put the first question, or the next one of a game taken up again."""
        return self._go_on(now)

    def replay(self, entries: Iterable[LedgerEntry]) -> None:
        """Bring a new referee to where a journal left off; ``start`` then goes on.

        Raises:
            IllegalMoveError: when the journal holds a move that the rules do not allow.
        """
        for entry in entries:
            player = self.player
            self.board = self.board.sow(entry.pit).board
            self.clock = self.clock.charge(player, Ledger(entry.elapsed_ms, entry.lag_ms))
            self.moves.append(entry.pit)

    def play(
        self,
        player: int,
        ply: int,
        pit: int,
        now: float,
        *,
        info: Info | None = None,
        provisional: bool = False,
    ) -> list[Event]:
        """Take an answer.

        Args:
            player: who answers.
            ply: the number of the question answered.
            pit: the pit to sow.
            now: when the answer arrived.
            info: what the bot says of its thinking.
            provisional: keep it as the best so far, and wait for a better one.
        """
        if self.ended is not None or ply < self.ply:
            return []
        if ply > self.ply or player != self.player or not self._asked:
            return self._answer_to_no_question(player, ply, pit)
        if now > self.clock.flag_at(player, self._lag_ms[player]):
            return self._flag(now)
        if not self.board.may_sow(pit):
            return self._illegal(player, pit)
        if provisional:
            self._provisional = _Answer(pit, info)
            return []
        return self._sow(_Answer(pit, info), now, forced=False)

    def expire(self, now: float) -> list[Event]:
        """Act on what has run out by now; nothing, if nothing has."""
        if self.ended is not None:
            return []
        if self._asked and now >= self.clock.flag_at(self.player, self._lag_ms[self.player]):
            return self._flag(now)
        gone = [player for player in (0, 1) if self._grace_is_over(player, now)]
        return self._lose_seat(gone[0], now) if gone else []

    def deadline(self) -> float | None:
        """Tell when :meth:`expire` wants to be called; None when there is nothing to wait for."""
        if self.ended is not None:
            return None
        ends = [gone + self._grace_s for gone in self._gone if gone is not None]
        if self._asked:
            ends.append(self.clock.flag_at(self.player, self._lag_ms[self.player]))
        return min(ends, default=None)

    def flag_at(self) -> float | None:
        """Tell when the flag falls of the player who was asked; None when nobody was."""
        if self.ended is not None or not self._asked:
            return None
        return self.clock.flag_at(self.player, self._lag_ms[self.player])

    def measure(self, player: int, lag_ms: float) -> None:
        """Note the round trip measured on the player's connection."""
        self._lag_ms[player] = lag_ms

    def lost(self, player: int, now: float) -> None:
        """Note that the player's connection is gone; the clock runs on."""
        if self._gone[player] is None:
            self._gone[player] = now

    def rejoin(self, player: int) -> None:
        """Note that the player is back."""
        self._gone[player] = None

    def resign(self, player: int) -> list[Event]:
        """Give the game to the other player."""
        return self._forfeit(player, Reason.RESIGNED, Evidence(player, "resigned", self.ply))

    def fault(self, player: int, reason: Reason, detail: str, received: str = "") -> list[Event]:
        """End the game for what a player did outside of it (``protocol``, ``wedged``)."""
        evidence = Evidence(player, detail, self.ply, received=received or None)
        return self._forfeit(player, reason, evidence)

    def abort(self, detail: str) -> list[Event]:
        """End the game so that it does not count."""
        return self._end(None, Reason.ABORTED, Evidence(None, detail, self.ply))

    def _go_on(self, now: float) -> list[Event]:
        ending = self.board.ending
        if ending is not None:
            score = self.board.score()
            winner = None if score == 0 else int(score < 0)
            return self._end(winner, Reason(ending), None)
        self._asked = True
        self._provisional = None
        self.clock = self.clock.ask(now)
        return [Asked(self.player, self.ply, self.board, self.clock.allowed_ms(self.player))]

    def _sow(self, answer: _Answer, now: float, *, forced: bool) -> list[Event]:
        player, ply = self.player, self.ply
        ledger = self.clock.measure(player, now, self._lag_ms[player])
        self.clock = self.clock.charge(player, ledger)
        sowing = self.board.sow(answer.pit)
        self.board = sowing.board
        self.moves.append(answer.pit)
        played = Played(player, ply, answer.pit, sowing, ledger, self.clock, answer.info, forced)
        return [played, *self._go_on(now)]

    def _flag(self, now: float) -> list[Event]:
        policy = self.control.timeout
        if policy is not TimeoutPolicy.FORFEIT and self._provisional is not None:
            return self._sow(self._provisional, now, forced=True)
        if policy is TimeoutPolicy.RANDOM:
            return self._sow(_Answer(self._pick(self.board.legal()), None), now, forced=True)
        if not (self.is_present(0) or self.is_present(1)):
            return self.abort(NOBODY_THERE)
        elapsed_ms, lag_ms = self.clock.measure(self.player, now, self._lag_ms[self.player])
        evidence = Evidence(
            self.player,
            "the time was up" if self.is_present(self.player) else "the time was up while away",
            self.ply,
            elapsed_ms=round(elapsed_ms),
            allowed_ms=round(self.clock.allowed_ms(self.player) + lag_ms),
            lag_ms=round(lag_ms),
        )
        return self._forfeit(self.player, Reason.TIMEOUT, evidence)

    def _illegal(self, player: int, pit: int) -> list[Event]:
        evidence = Evidence(
            player, "that pit may not be sown", self.ply, pit=pit, legal=self.board.legal()
        )
        return self._forfeit(player, Reason.ILLEGAL, evidence)

    def _answer_to_no_question(self, player: int, ply: int, pit: int) -> list[Event]:
        detail = f"answered question {ply}, which was not put to this player"
        return self._forfeit(player, Reason.PROTOCOL, Evidence(player, detail, self.ply, pit=pit))

    def _grace_is_over(self, player: int, now: float) -> bool:
        gone = self._gone[player]
        return gone is not None and now >= gone + self._grace_s

    def _lose_seat(self, player: int, now: float) -> list[Event]:
        if not self.is_present(1 - player):
            return self.abort(NOBODY_THERE)
        away_ms = int((now - (self._gone[player] or now)) * 1000)
        evidence = Evidence(player, "did not come back", self.ply, elapsed_ms=away_ms)
        return self._forfeit(player, Reason.DISCONNECTED, evidence)

    def _forfeit(self, player: int, reason: Reason, evidence: Evidence) -> list[Event]:
        return self._end(1 - player, reason, evidence)

    def _end(self, winner: int | None, reason: Reason, evidence: Evidence | None) -> list[Event]:
        if self.ended is not None:
            return []
        self._asked = False
        stores = self.board.settled().stores
        self.ended = Ended(winner, stores, reason, evidence)
        return [self.ended]
