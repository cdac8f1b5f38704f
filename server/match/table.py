"""One match: two participants, a referee for each game, and everybody who looks on.

The order of things is the promise: an accepted move is durable before anybody hears of it. So each
step is *referee, journal, announce*. While the journal works, which takes well under a
millisecond, whatever else happens at the table waits its turn (``steps.py``), with the instant it
arrived; no snapshot can show half a step, and a dead server never said what it doesn't remember.
The clock of the player to move starts when the question goes out, not before: the journal's time
is nobody's.

A question that opens a game, or takes one up again after a restart, is put only when the player to
move is there; once it is put, the clock runs, there or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from protocol import codec
from protocol.messages import (
    ErrorCode,
    GameOver,
    GameStart,
    MatchOver,
    Message,
    Move,
    Reason,
)
from protocol.referee import Asked, Ended, Event, LedgerEntry, Played, Referee
from server.match.context import Floor
from server.match.deadline_timer import Alarm
from server.match.participant import Participant
from server.match.serial_queue import Steps
from server.match.serializers import moved, question, snapshot
from server.model.journal import (
    Entry,
    GameClosed,
    GameOpened,
    KeptMatch,
    MatchClosed,
    MatchOpened,
    MovePlayed,
)
from server.model.match import Match
from server.net.seat import Seat

Players = tuple[Participant, Participant]


class Table:
    """A match under way.

    Attributes:
        match: the match, and how it stands.
        players: its sides; the first-named first.
        watchers: the connections that look on at the present game.
    """

    def __init__(self, match: Match, players: Players, floor: Floor) -> None:
        self.match = match
        self.players = players
        self._floor = floor
        self.watchers: set[Seat] = set()
        self._arriving: set[Seat] = set()
        self._steps = Steps(floor)
        self._alarm = Alarm(floor, self._expire)
        self._is_asked = False
        self._is_last = False
        self._began_at = match.began_at
        self._referee = self._new_referee()

    @property
    def game(self) -> str:
        """The present game's id."""
        return self.match.games[-1]

    @property
    def seated(self) -> Players:
        """Both players, in the seat order of the present game."""
        return self._at(0), self._at(1)

    @property
    def is_closed(self) -> bool:
        """Whether the match is over or suspended."""
        return self._steps.is_closed

    # What the hall says

    def open(self) -> None:
        """Begin the match, as soon as it can be kept fair."""
        self._steps.when_fair(self._open)

    def _open(self) -> None:
        match = self.match
        if self._floor.house.is_draining or self._is_deserted:
            self._vanish()
            return
        opened = MatchOpened(match.id, match.names, match.terms, match.began_at, match.occasion)
        self._steps.commit([opened, self._open_game()], self._begin_game)

    def restore(self, kept: KeptMatch) -> None:
        """Take up a match where the journal left it."""
        if not kept.running:
            self._steps.when_fair(self._open_next)
            return
        self._began_at = kept.began_at
        self._referee = self._new_referee()
        self._referee.replay(kept.moves)
        self._begin_game()

    def play(self, who: Participant, move: Move) -> None:
        """Take an answer."""
        self._steps.take(partial(self._play, who, move, self._floor.now()))

    def resign(self, who: Participant, game: str) -> None:
        """Give a game up."""
        self._steps.take(partial(self._resign, who, game))

    def fault(self, who: Participant, reason: Reason, detail: str, received: str = "") -> None:
        """End the game for what a player did outside of it."""
        self._steps.take(partial(self._fault, who, reason, detail, received))

    def leave(self, who: Participant) -> None:
        """End the game because a player said goodbye; it doesn't count if not yet joined in."""
        self._steps.take(partial(self._leave, who))

    def lost(self, who: Participant) -> None:
        """Note that a player's connection is gone."""
        self._steps.take(partial(self._lost, who))

    def back(self, who: Participant) -> None:
        """Note that a player is back, and tell everything again."""
        self._steps.take(partial(self._back, who))

    def watch(self, seat: Seat, game: str | None = None) -> None:
        """Show the game to a spectator, or to a player who looks on as well.

        Args:
            seat: the connection.
            game: the game wanted; None for whichever is being played.
        """
        self._arriving.add(seat)
        self._steps.take(partial(self._watch, seat, game))

    def show(self, tell: Callable[[GameStart], None]) -> None:
        """Tell how the present game stands, as soon as no step is half done."""
        self._steps.take(lambda: tell(self._snapshot(None)))

    def unwatch(self, seat: Seat) -> None:
        """Show it no more."""
        self._arriving.discard(seat)
        self.watchers.discard(seat)

    def suspend(self) -> None:
        """Stop here; the journal knows how to go on."""
        self._close()

    def _close(self) -> None:
        self._steps.close()
        self._alarm.cancel()

    # One step: referee, journal, announce

    def _step(self, events: Sequence[Event]) -> None:
        entries = self._entries(events)
        if entries:
            self._steps.commit(entries, partial(self._announce, events))
        else:
            self._arm()

    def _entries(self, events: Sequence[Event]) -> list[Entry]:
        entries: list[Entry] = []
        for event in events:
            if isinstance(event, Played):
                entry = LedgerEntry(event.pit, *event.ledger)
                entries.append(MovePlayed(self.game, event.ply, entry, event.info, event.forced))
            elif isinstance(event, Ended):
                entries += self._closing_entries(event)
        return entries

    def _closing_entries(self, ended: Ended) -> list[Entry]:
        at, match = self._floor.utc(), self.match
        agents = self.players[0].agent, self.players[1].agent
        span = self._began_at, at
        result = self._floor.herald.game(match, self._referee, ended, agents, span)
        match.book(ended.winner, ended.reason)
        closed = GameClosed(self.game, ended, at, result)
        entries = [closed, *self._floor.house.book(match, ended, result)]
        self._is_last = not match.has_more or self._is_deserted
        return [*entries, self._close_match(at)] if self._is_last else entries

    def _close_match(self, at: str) -> Entry:
        agents = self.players[0].agent, self.players[1].agent
        points = self.match.points[0], self.match.points[1]
        ratings = self._floor.house.ratings(self.match)
        result = self._floor.herald.match(self.match, agents, at, ratings)
        return MatchClosed(self.match.id, points, at, result)

    @property
    def _is_deserted(self) -> bool:
        now, grace_s = self._floor.now(), self._floor.grace_s
        return any(who.is_gone(now, grace_s) for who in self.players)

    def _announce(self, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case Played():
                    told = moved(self.game, event)
                    self._tell_all(told)
                    self._floor.live(told)
                case Asked():
                    self._ask()
                case Ended():
                    self._announce_end(event)

    # Games come and go

    def _new_referee(self) -> Referee:
        match, floor = self.match, self._floor
        return Referee(match.opening, match.terms.clock, grace_s=floor.grace_s, pick=floor.pick)

    def _open_game(self) -> Entry:
        self.match.games.append(self._floor.new_id())
        self._began_at = self._floor.utc()
        self._referee = self._new_referee()
        return GameOpened(self.game, self.match.id, self.match.number, self._began_at)

    def _begin_game(self) -> None:
        self._is_asked = False
        self._floor.house.game_began(self)
        for who in self.players:
            if not who.is_present:
                self._referee.lost(self._seat_of(who), who.lost_at)
            who.send(self._snapshot(who))
        if self._at(self._referee.player).is_present:
            self._ask()
        else:
            self._arm()

    def _announce_end(self, ended: Ended) -> None:
        self._is_asked = False
        over = GameOver(self.game, *ended)
        for who in self.players:
            if not who.is_present:
                who.miss((self._snapshot(who), over))
            elif not who.follows(self.game):
                who.send(self._snapshot(who))
        self._tell_all(over)
        self._floor.house.game_over(self)
        self.watchers.clear()
        self._go_on()

    def _go_on(self) -> None:
        if self._is_last:
            self._announce_match_end()
        else:
            self._steps.when_fair(self._open_next)

    def _open_next(self) -> None:
        if self._is_deserted:
            self._steps.commit([self._close_match(self._floor.utc())], self._announce_match_end)
        elif self._floor.house.is_draining:
            self.suspend()
        else:
            self._steps.commit([self._open_game()], self._begin_game)

    def _vanish(self) -> None:
        """Be gone as if the match had never been agreed on; the journal doesn't know of it."""
        self._close()
        self._floor.house.match_over(self)

    def _announce_match_end(self) -> None:
        over = MatchOver(self.match.id, self.match.score, self._floor.house.ratings(self.match))
        for who in self.players:
            if not who.is_present:
                who.miss((over,))
            who.send(over)
        self._close()
        self._floor.house.match_over(self)

    # What may happen at the table

    def _play(self, who: Participant, move: Move, now: float) -> None:
        if move.game != self.game:
            return
        if move.ply == self._referee.ply and self._own_delay_s(now):
            self._void(now)
            return
        self._step(
            self._referee.play(
                self._seat_of(who),
                move.ply,
                move.pit,
                now,
                info=move.info,
                provisional=move.provisional,
            )
        )

    def _own_delay_s(self, now: float) -> float:
        """Tell how long the server was held up, if that is why a flag has fallen."""
        flag = self._referee.flag_at()
        if flag is None or now <= flag:
            return 0.0
        return self._floor.fairness.own_delay_s(self._referee.clock.since, flag, now)

    def _void(self, now: float) -> None:
        delay_ms = round(self._own_delay_s(now) * 1000)
        detail = f"the server itself was held up for {delay_ms} ms while the clock ran"
        self._step(self._referee.abort(detail))

    def _resign(self, who: Participant, game: str) -> None:
        if game == self.game:
            self._step(self._referee.resign(self._seat_of(who)))

    def _fault(self, who: Participant, reason: Reason, detail: str, received: str) -> None:
        self._step(self._referee.fault(self._seat_of(who), reason, detail, received))

    def _leave(self, who: Participant) -> None:
        seat = self._seat_of(who)
        if self._referee.has_sown(seat):
            self._step(self._referee.fault(seat, Reason.DISCONNECTED, "said goodbye"))
        else:
            self._step(self._referee.abort(f"{who.name} said goodbye before its first move"))

    def _lost(self, who: Participant) -> None:
        if not who.is_present:
            self._referee.lost(self._seat_of(who), who.lost_at)
            self._arm()

    def _back(self, who: Participant) -> None:
        seat = self._seat_of(who)
        self._referee.rejoin(seat)
        who.send(self._snapshot(who))
        if self._referee.player == seat:
            self._ask_again()
        self._arm()

    def _expire(self) -> None:
        self._steps.take(lambda: self._step(self._referee.expire(self._floor.now())))

    # Questions and answers

    def _ask(self) -> None:
        now, seat = self._floor.now(), self._referee.player
        who = self._at(seat)
        self._referee.measure(seat, who.lag_ms)
        self._referee.start(now)
        self._is_asked = True
        if who.follows(self.game):
            who.send(question(self.game, self._referee, now))
        self._arm()

    def _ask_again(self) -> None:
        if not self._is_asked:
            self._ask()
        else:
            who = self._at(self._referee.player)
            who.send(question(self.game, self._referee, self._floor.now()))

    def _arm(self) -> None:
        deadline = None if self.is_closed else self._referee.deadline()
        if deadline is not None:
            self._alarm.set(deadline)

    # Who sees what

    def _watch(self, seat: Seat, game: str | None) -> None:
        is_over = self._referee.ended is not None
        if seat not in self._arriving:  # it has gone, or looked away, while the journal worked
            return
        self._arriving.discard(seat)
        if game is not None and (is_over or game != self.game):
            seat.refuse(ErrorCode.UNKNOWN_GAME, "that game is over", game)
        elif not is_over and (game is not None or seat not in self.watchers):
            self.watchers.add(seat)
            seat.send(self._snapshot(None))

    def _tell_all(self, message: Message) -> None:
        frame = codec.encode(message)
        for who in self.players:
            if who.follows(self.game):
                who.send(message, frame)
        for seat in tuple(self.watchers):
            if all(seat is not who.seat for who in self.players):
                seat.send(message, frame)

    def _snapshot(self, who: Participant | None) -> GameStart:
        seat = self._seat_of(who) if who is not None else None
        opponent = self._at(1 if seat is None else 1 - seat).as_opponent
        return snapshot(self.match, self._referee, seat, opponent)

    def _at(self, seat: int) -> Participant:
        return self.players[self.match.side(seat)]

    def _seat_of(self, who: Participant) -> int:
        return self.match.seat(self.players.index(who))
