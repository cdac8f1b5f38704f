"""The steps of a match: what follows from what happens at its table.

Every step is *referee, journal, announce*: an accepted move is durable before anyone hears of it.
The journal takes well under a millisecond. Meanwhile all else that happens at the table waits in
the queue (``serial_queue.py``), with the instant of its arrival. So no snapshot shows half a step,
and a server that was killed never announced what it doesn't remember. The clock of the player to
move starts when the turn is sent, not before: neither side pays for the journal's time.

Entries that the store refuses, while it takes others, are not announced. What a bot reported with
its move is left out first, so that no bot can undo a move by what it writes. If that does not help,
the game goes back to where it was and ends as ``aborted``; and if that can't be stored either, the
table is closed, the players get the error ``internal``, and the journal knows how to go on after a
restart.

The turn that opens a game, or takes one up again after a restart, is sent only once the player to
move is present; after that the clock runs, present or not. For a program that the server runs, it
stands still whenever that one is away: what keeps it away is the server's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from mancala.protocol import codec
from mancala.protocol.messages import (
    ErrorCode,
    GameOver,
    GameStart,
    Info,
    MatchOver,
    Moved,
    Outcome,
)
from mancala.protocol.referee import Asked, Event, LedgerEntry, Played, Referee
from mancala.protocol.rules import Board

from ..model.journal import Entry, GameClosed, GameOpened, MatchClosed, MovePlayed
from ..model.match import Match
from ..net.seat import Seat
from .audience import Audience
from .context import Context
from .deadline_timer import DeadlineTimer
from .info_quota import InfoQuota, size_of
from .observer import MatchObserver
from .pace import Pace
from .participant import Participant
from .serial_queue import SerialQueue, queued
from .serializers import moved, snapshot, turn

Players = tuple[Participant, Participant]
UNSTORED: Final = "the server could not store what happened; its log says why"


class MatchSteps(ABC):
    """A match's state, and its way from one step to the next.

    Attributes:
        seated: the players in the seat order of the present game.
        is_ended: whether an order ended the match, not its last game.
    """

    def __init__(
        self,
        match: Match,
        players: Players,
        context: Context,
        observer: MatchObserver,
        *,
        quota: InfoQuota,
        pace: Pace,
    ) -> None:
        self.match = match
        self.players = self.seated = players
        self.game = ""
        self.audience = Audience(context, players, self._catch_up)
        self.queue = SerialQueue(context, self._is_held_up)
        self._context = context
        self._observer = observer
        self._grace_s = context.config.now.grace_s
        self._quota = quota
        self._pace = pace
        self._info_bytes = 0
        self._arriving: dict[Seat, str | None] = {}
        self._asked: list[Callable[[GameStart | None], None]] = []
        self._timer = DeadlineTimer(context, self._hear_out)
        self._is_last = False
        self.is_ended = False
        self._is_failing = False
        self._awaited: set[Participant] = set()
        self._moves: list[LedgerEntry] = []
        self._last: Moved | None = None
        self._began_at = match.began_at
        self._referee = self._new_referee()

    @property
    def board(self) -> Board:
        return self._referee.board

    @property
    def ply(self) -> int:
        """How many moves the present game has had."""
        return self._referee.ply

    @property
    def mover(self) -> Participant:
        return self.seated[self._referee.board.player]

    def close(self) -> None:
        """Stop here; the journal knows how a match goes on that is not over."""
        self.queue.close()
        self._timer.cancel()
        self.audience.flush()
        self._answer(None)

    @abstractmethod
    def _hear_out(self) -> None:
        """End what the clock ends, once it is heard what was said in time."""

    # The step

    def _step(self, events: Sequence[Event], also: Iterable[Entry] = ()) -> None:
        points = [*self.match.points]
        entries = [*self._entries(events), *also]
        if entries:
            refused = partial(self._leave_out_info, events, entries, points)
            self.queue.commit(entries, partial(self._announce, events), refused)
        else:
            self._arm()

    def _leave_out_info(
        self, events: Sequence[Event], entries: Sequence[Entry], points: list[float]
    ) -> None:
        bare = [
            each._replace(info=None) if isinstance(each, MovePlayed) else each for each in entries
        ]
        shown = [each._replace(info=None) if isinstance(each, Played) else each for each in events]
        roll_back = partial(self._roll_back, points, events)
        if bare == entries:
            roll_back()
        else:
            self.queue.commit(bare, partial(self._announce, shown), roll_back)

    def _roll_back(self, points: list[float], events: Sequence[Event]) -> None:
        """Return to the last move that is durable, and abort the game there."""
        for event in events:
            if isinstance(event, Outcome):
                self._observer.uncount(self.match, event)
        if self._is_failing:
            self._give_up()
            return
        self._is_failing = True
        self.match.points = points
        undone = sum(isinstance(event, Played) for event in events)
        del self._moves[len(self._moves) - undone :]
        self._referee = self._new_referee()
        self._referee.replay(self._moves)
        self._step(self._referee.abort(UNSTORED))

    def _give_up(self) -> None:
        self._context.log.warning("match given up", match=self.match.id, names=self.match.names)
        self.close()
        for player in self.players:
            player.send_error(ErrorCode.INTERNAL, UNSTORED, self.match.id)
        for seat in (*self.audience, *self._arriving):
            seat.send_error(ErrorCode.INTERNAL, UNSTORED, self.match.id)
        self._observer.match_failed(self.match)

    def _entries(self, events: Sequence[Event]) -> list[Entry]:
        entries: list[Entry] = []
        for event in events:
            if isinstance(event, Played):
                info = event.info and self._stored_info(event.info, self.seated[event.player])
                entry = LedgerEntry(event.pit, *event.ledger)
                self._moves.append(entry)
                entries.append(MovePlayed(self.game, event.ply, entry, info, event.forced))
            elif isinstance(event, Outcome):
                entries += self._closing_entries(event)
        return entries

    def _stored_info(self, info: Info, player: Participant) -> Info | None:
        kept = self._quota.keep(info, player, self._info_bytes, self._context.now())
        self._info_bytes += size_of(kept) if kept is not None else 0
        return kept

    def _closing_entries(self, ended: Outcome) -> list[Entry]:
        at, match = self._context.utc(), self.match
        agents = self.players[0].agent, self.players[1].agent
        span = self._began_at, at
        result = self._context.events.game(match, self._referee, ended, agents, span)
        match.count(ended.winner, ended.reason)
        self._pace.ended(self.players, self._referee.ply)
        closed = GameClosed(self.game, ended, at, result)
        entries = [closed, *self._observer.count(match, ended, result)]
        must_end = self._is_abandoned or self.is_ended or self._observer.must_yield(match)
        self._is_last = must_end or not match.has_more
        if self._is_last:
            entries.append(self._close_match(at))
        return self._observer.sealed(match, entries)

    def _close_match(self, at: str) -> Entry:
        agents = self.players[0].agent, self.players[1].agent
        points = self.match.points[0], self.match.points[1]
        ratings = self._observer.ratings(self.match)
        result = self._context.events.match(self.match, agents, at, ratings)
        return MatchClosed(self.match.id, points, at, result)

    @property
    def _is_abandoned(self) -> bool:
        now = self._context.now()
        return any(player.is_gone(now, self._grace_s) for player in self.players)

    def _announce(self, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case Played():
                    self._last = message = moved(self.game, event)
                    self.audience.show(message, self._send(message))
                    self._context.live(message)
                case Asked() if self.seated[event.player] in self._awaited:
                    self._referee.hold()
                    self._arm()
                case Asked():
                    self._ask()
                case Outcome():
                    self._announce_end(event)

    # Games come and go

    def _new_referee(self) -> Referee:
        match, pick = self.match, self._context.pick
        return Referee(match.opening, match.terms.clock, grace_s=self._grace_s, pick=pick)

    def _open_game(self) -> Entry:
        self.match.games.append(self._context.new_id())
        self._set_up_game(self._context.utc())
        is_hidden = self._observer.hides(self.match)
        return GameOpened(self.game, self.match.id, self.match.number, self._began_at, is_hidden)

    def _set_up_game(self, began_at: str) -> None:
        self.game, self._began_at = self.match.game, began_at
        self.seated = self.players[self.match.side(0)], self.players[self.match.side(1)]
        self._referee = self._new_referee()
        self._moves, self._last, self._info_bytes = [], None, 0

    def _begin_game(self) -> None:
        self._is_failing = False
        self._observer.game_began(self.match)
        for player in self.players:
            if not player.is_present:
                self._note_absence(player)
            player.send(self._snapshot(player))
        if self.mover.is_present:
            self._ask()
        else:
            self._arm()

    def _announce_end(self, ended: Outcome) -> None:
        over = GameOver(self.game, ended.winner, ended.stores, ended.reason, ended.evidence)
        for player in self.players:
            if not player.is_present:
                player.miss((self._snapshot(player), over))
            elif player.seat_at(self.game) is None:
                player.send(self._snapshot(player))
        self.audience.end(over, self._send(over))
        self._observer.game_over(self.match)
        self._go_on()

    def _go_on(self) -> None:
        if self._is_last:
            self._announce_match_end()
        else:
            self.queue.when_fair(self._open_next, self._game_wait_s())

    def _is_held_up(self) -> bool:
        """Return whether a process that reads the messages of a player is late."""
        return any(each.seat is not None and each.seat.is_held_up for each in self.players)

    def _game_wait_s(self) -> float:
        return self._pace.game_wait_s(self.players, self._context.now())

    def _open_next(self) -> None:
        if self._is_abandoned or self.is_ended:
            self._note_deserters(self.players)
            closed = [self._close_match(self._context.utc())]
            entries = self._observer.sealed(self.match, closed)
            self.queue.commit(entries, self._announce_match_end, self._give_up)
        elif self._observer.is_stopping:
            self.close()
        else:
            self.queue.commit([self._open_game()], self._begin_game, self._give_up)

    def _note_deserters(self, players: Iterable[Participant]) -> None:
        now = self._context.now()
        for player in players:
            if player.is_gone(now, self._grace_s) and player.excused_s is None:
                self._observer.left_early(self.match, player)

    def _announce_match_end(self) -> None:
        over = MatchOver(self.match.id, self.match.score, self._observer.ratings(self.match))
        for player in self.players:
            if not player.is_present:
                player.miss((over,))
            player.send(over)
        for seat, game in self._arriving.items():  # while the end was written
            if game is not None:
                turn_away(seat, game)
        self.close()
        self._observer.match_over(self.match)

    # Turns

    def _ask(self) -> None:
        """Put the turn to the player to move, once its pace allows; until then no clock runs."""
        wait_s = self._pace.turn_wait_s(self.mover, self._context.now())
        if wait_s:
            self.queue.pause(wait_s, self._put_turn)
        else:
            self._put_turn()

    def _put_turn(self) -> None:
        now, player = self._context.now(), self.mover
        lag_ms = 0.0 if player.seat is None else player.seat.lag_ms
        self._referee.measure(self._referee.board.player, lag_ms)
        self._referee.start(now)
        self._send_turn(player, now)
        self._arm()

    def _ask_again(self) -> None:
        if self._referee.flag_at is None:
            self._ask()
        else:
            self._send_turn(self.mover, self._context.now())

    def _send_turn(self, player: Participant, now: float) -> None:
        last, swaps = self._last, player.knows_swap
        if (seat := player.seat_at(self.game)) is not None:
            seat.send(turn(self.game, self._referee, now, last=last, knows_swap=swaps))

    def _arm(self) -> None:
        deadline = None if self.queue.is_closed else self._referee.deadline()
        if deadline is not None:
            self._timer.set(deadline)

    def _note_absence(self, player: Participant) -> None:
        seat, excused_s = self.seated.index(player), player.excused_s
        return_s = player.return_s
        self._referee.lost(seat, player.lost_at, excused_s=excused_s, return_s=return_s)
        if excused_s is not None:
            self._awaited.add(player)
            if player is self.mover:
                self._referee.hold()

    # Messages to players and spectators

    def _answer(self, shown: GameStart | None) -> None:
        asked, self._asked = self._asked, []
        for send in asked:
            send(shown)

    @queued
    def _catch_up(self, seat: Seat) -> None:
        if seat in self.audience and self._referee.ended is None:
            self.audience.begin(seat, self._snapshot(None))

    def _send(self, message: Moved | GameOver) -> bytes:
        frame = codec.encode(message)
        for player in self.players:
            if (seat := player.seat_at(self.game)) is not None:
                seat.send(message, frame)
        return frame

    def _snapshot(self, player: Participant | None) -> GameStart:
        seat = self.seated.index(player) if player is not None else None
        opponent = self.seated[1 if seat is None else 1 - seat].as_opponent
        return snapshot(self.match, self._referee, seat, opponent)


def turn_away(seat: Seat, game: str) -> None:
    seat.send_error(ErrorCode.UNKNOWN_GAME, "that game is over", game)
