"""The referee of one game, without input or output.

The caller reports what happened and when (``now``, in seconds on its own clock). The referee
returns the events to announce, and :meth:`Referee.deadline` is when it must be called again.
The server, a headless match and a replay all use this class.

    events = referee.start(now)
    events = referee.play(player, ply, pit, now)     # an answer has arrived
    events = referee.expire(now)                     # deadline() has passed

Every question has a number, ``ply``: the number of sowings before it. Its answer repeats the
number. An answer to an older question is late; it is dropped silently, because a correct bot
cannot avoid it. An answer to a question that was not put to that player is a fault, and it ends
the game.

A disconnected player keeps the seat until the clock runs out or ``grace_s`` has passed, whichever
comes first. If both players are disconnected by then, the game is aborted and does not count; nor
does it count if a player for whose absence the caller answers is not back in time.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from .clock import Clock, Ledger, TimeControl, TimeoutPolicy
from .messages import Evidence, Info, Outcome, Reason
from .rules import Board, IllegalMoveError, Sowing

BOTH_GONE: Final = "both players were gone"
NOT_BACK: Final = "did not come back"
EXCUSED_S: Final = 600.0
"""How long a game waits for a player whose absence is excused: a program that compiles for minutes
comes back, one that can't be started does not hold its opponent for ever."""


class Asked(NamedTuple):
    """A question was put to a player, who may think for ``allowed_ms``."""

    player: int
    ply: int
    board: Board
    allowed_ms: float


class Played(NamedTuple):
    """A move was made.

    The clock is that after it; ``forced`` says that the time was up and the referee played it.
    """

    player: int
    ply: int
    pit: int
    sowing: Sowing
    ledger: Ledger
    clock: Clock
    info: Info | None
    forced: bool


Event = Asked | Played | Outcome


class LedgerEntry(NamedTuple):
    """A move as the journal keeps it: what is needed to resume a game."""

    pit: int
    elapsed_ms: float
    lag_ms: float


_Answer = tuple[int, Info | None]
"""A pit, and what the bot reports."""


def outcome(board: Board) -> Outcome | None:
    """Return how a game has ended by the rules; None if it has not."""
    if board.ending is None:
        return None
    score = board.score()
    winner = None if score == 0 else int(score < 0)
    return Outcome(winner, board.settled().stores, Reason(board.ending))


def kept_s(grace_s: float, excused_s: float | None, return_s: float) -> float:
    """Return for how many seconds an absent player keeps the seat; see :meth:`Referee.lost`."""
    return max(grace_s + return_s, excused_s or 0.0)


class Referee:
    """One game between players 0 and 1, from the position ``opening``.

    ``flag_at`` is when the flag of the player who was asked falls, and None without a question.
    """

    def __init__(
        self,
        board: Board,
        control: TimeControl,
        *,
        grace_s: float = 30.0,
        pick: Callable[[tuple[int, ...]], int] = min,
    ) -> None:
        """Set up a game in which a disconnected player keeps the seat for ``grace_s`` seconds.

        ``pick`` chooses one of the legal pits when the time is up under the policy ``random``; it
        is an argument, because this package has no random generator.
        """
        self.opening = self.board = board.as_opening
        self.control = control
        self.clock = Clock.set_up(control)
        self.moves: list[int] = []
        self.ended: Outcome | None = None
        self._grace_s = grace_s
        self._pick = pick
        self.flag_at: float | None = None
        self._provisional: _Answer | None = None
        self._lag_ms = [0.0, 0.0]
        self._gone: list[float | None] = [None, None]
        self._is_excused = [False, False]
        self._patience_s = [grace_s, grace_s]

    @property
    def ply(self) -> int:
        """The number of the present question: the sowings so far."""
        return len(self.moves)

    @property
    def player(self) -> int:
        return self.board.player

    def is_present(self, player: int) -> bool:
        return self._gone[player] is None

    def has_sown(self, player: int) -> bool:
        board = self.opening
        for pit in self.moves:
            if board.player == player:
                return True
            board = board.sow(pit).board
        return False

    def start(self, now: float) -> list[Event]:
        """Put the first question, or the next one of a resumed game; its clock runs from now on."""
        if self.flag_at is None:
            return self._ask_or_end(now)
        self._run_clock(now)
        return []

    def replay(self, entries: Iterable[LedgerEntry]) -> None:
        """Replay a journal on a new referee; ``start`` then continues the game."""
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
        """Process an answer to question ``ply``, which arrived at ``now``.

        A provisional one is kept as the best so far, and another one is awaited.
        """
        due, flag_at = len(self.moves), self.flag_at
        if self.ended is not None or ply < due:
            return []
        if ply > due or player != self.board.player or flag_at is None:
            return self._unasked_answer(player, ply, pit)
        if now > flag_at:
            return self._flag(now)
        if provisional and self.board.may_play(pit):
            self._provisional = (pit, info)
            return []
        try:
            return self._sow((pit, info), now, forced=False)
        except IllegalMoveError:
            return self._illegal(player, pit)

    def hangs_on(self, *, provisional: bool) -> bool:
        """Return whether it matters if an answer to the open question came before the flag.

        A provisional one matters only where it would be played, and none came before it.
        """
        is_kept = self.control.timeout is not TimeoutPolicy.FORFEIT and self._provisional is None
        return is_kept or not provisional

    def expire(
        self, now: float, may_spare: Callable[[int], bool] = lambda _player: True
    ) -> list[Event]:
        """Process the flag and the grace time, as far as they have run out by ``now``.

        The game is void for a player whose excused absence does not end, unless ``may_spare``,
        called with the player, returns False: then it is lost.
        """
        if self.ended is not None:
            return []
        if self.flag_at is not None and now >= self.flag_at:
            return self._flag(now)
        for player in (0, 1):
            until = self._seat_until(player)
            if until is not None and now >= until:
                return self._lose_seat(player, now, may_spare)
        return []

    def doubt(self, now: float, detail: str) -> list[Event]:
        """Process a flag of which it can't be known whether an answer came before it, and why not.

        The clock's policy applies; only where the game would be lost, it is void instead. The
        answer arrived at ``now`` at the latest.
        """
        if self.ended is not None:
            return []
        forced = self._forced_answer()
        if forced is not None:
            return self._sow(forced, now, forced=True)
        used = self._time_used(now)
        times = used.elapsed_ms, used.allowed_ms, used.lag_ms
        evidence = Evidence(None, detail, self.ply, None, None, *times, spared=self.player)
        return self._end(None, Reason.ABORTED, evidence)

    def deadline(self) -> float | None:
        """Return when to call :meth:`expire`; None if there is nothing to wait for."""
        if self.ended is not None or self._gone == [None, None]:
            return self.flag_at
        ends = (self.flag_at, self._seat_until(0), self._seat_until(1))
        return min((end for end in ends if end is not None), default=None)

    def measure(self, player: int, lag_ms: float) -> None:
        if lag_ms != self._lag_ms[player]:
            self._lag_ms[player] = lag_ms
            if self.flag_at is not None:
                self._run_clock(self.clock.since)

    def lost(
        self, player: int, now: float, *, excused_s: float | None = None, return_s: float = 0.0
    ) -> None:
        """Record that the player is disconnected since ``now``; the clock keeps running.

        An absence for which the caller answers is excused: the player then keeps the seat for
        ``excused_s`` at least. One that can't be back before ``return_s`` seconds keeps it for as
        much longer than ``grace_s``.
        """
        if self._gone[player] is None:
            self._gone[player] = now
            self._is_excused[player] = excused_s is not None
            self._patience_s[player] = kept_s(self._grace_s, excused_s, return_s)

    def rejoin(self, player: int) -> None:
        """Record that the player is connected again."""
        self._gone[player] = None

    def hold(self) -> None:
        """Withdraw the question; the clock stands still until :meth:`start` puts it again."""
        self.flag_at = None

    def resign(self, player: int, cause: str = "") -> list[Event]:
        """End the game in favour of the other player; the cause becomes evidence."""
        detail = f"resigned: {cause}" if cause else "resigned"
        return self._forfeit(player, Reason.RESIGNED, Evidence(player, detail, self.ply))

    def fault(self, player: int, reason: Reason, detail: str, received: str = "") -> list[Event]:
        """End the game for a player's fault outside of it (``protocol``, ``wedged``)."""
        evidence = Evidence(player, detail, self.ply, received=received or None)
        return self._forfeit(player, reason, evidence)

    def abort(self, detail: str) -> list[Event]:
        """End the game so that it does not count."""
        return self._end(None, Reason.ABORTED, Evidence(None, detail, self.ply))

    def _ask_or_end(self, now: float) -> list[Event]:
        board = self.board
        if (over := outcome(board)) is not None:
            return self._end(over.winner, over.reason, None)
        self._provisional = None
        self._run_clock(now)
        return [Asked(board.player, len(self.moves), board, self.clock.allowed_ms(board.player))]

    def _run_clock(self, now: float) -> None:
        player = self.board.player
        self.clock = self.clock.ask(now)
        self.flag_at = self.clock.flag_at(player, self._lag_ms[player])

    def _sow(self, answer: _Answer, now: float, *, forced: bool) -> list[Event]:
        player, ply = self.board.player, len(self.moves)
        pit, info = answer
        sowing = self.board.sow(pit)
        ledger = self.clock.measure(player, now, self._lag_ms[player])
        self.clock = self.clock.charge(player, ledger)
        self.board = sowing.board
        self.moves.append(pit)
        played = Played(player, ply, pit, sowing, ledger, self.clock, info, forced)
        return [played, *self._ask_or_end(now)]

    def _flag(self, now: float) -> list[Event]:
        forced = self._forced_answer()
        if forced is not None:
            return self._sow(forced, now, forced=True)
        if not (self.is_present(0) or self.is_present(1)):
            return self.abort(BOTH_GONE)
        return self._forfeit(self.player, Reason.TIMEOUT, self._time_used(now))

    def _forced_answer(self) -> _Answer | None:
        """Return the move that is played when the flag falls; None if the policy has none."""
        policy = self.control.timeout
        if policy is not TimeoutPolicy.FORFEIT and self._provisional is not None:
            return self._provisional
        if policy is TimeoutPolicy.RANDOM:
            return self._pick(self.board.legal()), None
        return None

    def _time_used(self, now: float) -> Evidence:
        elapsed_ms, lag_ms = self.clock.measure(self.player, now, self._lag_ms[self.player])
        return Evidence(
            self.player,
            "the time was up" if self.is_present(self.player) else "the time was up while away",
            self.ply,
            elapsed_ms=round(elapsed_ms),
            allowed_ms=round(self.clock.allowed_ms(self.player) + lag_ms),
            lag_ms=round(lag_ms),
        )

    def _illegal(self, player: int, pit: int) -> list[Event]:
        evidence = Evidence(
            player, "that pit may not be sown", self.ply, pit=pit, legal=self.board.legal()
        )
        return self._forfeit(player, Reason.ILLEGAL, evidence)

    def _unasked_answer(self, player: int, ply: int, pit: int) -> list[Event]:
        detail = f"answered question {ply}, which was not put to this player"
        return self._forfeit(player, Reason.PROTOCOL, Evidence(player, detail, self.ply, pit=pit))

    def _seat_until(self, player: int) -> float | None:
        """Return until when an absent player keeps the seat; None for one that is there."""
        gone = self._gone[player]
        return None if gone is None else gone + self._patience_s[player]

    def _lose_seat(self, player: int, now: float, may_spare: Callable[[int], bool]) -> list[Event]:
        if not self.is_present(1 - player):
            return self.abort(BOTH_GONE)
        if self._is_excused[player] and may_spare(player):
            return self.abort(NOT_BACK)
        away_ms = int((now - (self._gone[player] or now)) * 1000)
        evidence = Evidence(player, NOT_BACK, self.ply, elapsed_ms=away_ms)
        return self._forfeit(player, Reason.DISCONNECTED, evidence)

    def _forfeit(self, player: int, reason: Reason, evidence: Evidence) -> list[Event]:
        return self._end(1 - player, reason, evidence)

    def _end(self, winner: int | None, reason: Reason, evidence: Evidence | None) -> list[Event]:
        if self.ended is not None:
            return []
        self.flag_at = None
        stores = self.board.settled().stores
        self.ended = Outcome(winner, stores, reason, evidence)
        return [self.ended]
