"""One match under way: two participants, a referee for each game, and the spectators.

What happens at the table is a step each (``steps.py``), one after the other.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mancala.protocol.messages import GameStart, Move, Reason, Resign

from ..model.day_counts import Counted
from ..model.journal import NOTHING_ELSE, Along, Entry, KeptMatch, MatchOpened
from ..net.arrivals.arrival import Arrival
from ..net.seat import Seat
from .participant import Participant
from .serial_queue import queued
from .steps import MatchSteps, turn_away

HELD_UP: Final = "cannot tell whether the answer was in time: the server was blocked for"


class Table(MatchSteps):
    """A match under way; :meth:`open` or :meth:`restore` starts it."""

    # Called by the lobby

    def open(self, along: Along = NOTHING_ELSE) -> None:
        """Begin the match once the loop lag is acceptable; ``along`` happens together with it."""
        self.queue.when_fair(partial(self._open, along), self._game_wait_s())

    def _open(self, along: Along) -> None:
        match = self.match
        if self._observer.is_stopping or self._is_abandoned or self.is_ended:
            self._cancel()
            return
        opened = MatchOpened(
            *(match.id, match.names, match.terms, match.began_at),
            match.ladder_context,
            match.event_context,
        )
        entries = [opened, self._open_game(), *along.entries]
        self.queue.commit(entries, partial(self._begin_match, along), self._give_up)

    def _begin_match(self, along: Along) -> None:
        along.done()
        self._begin_game()

    def _cancel(self) -> None:
        """Close a match that never began; the journal doesn't know of it."""
        if not self._observer.is_stopping:
            self._note_deserters(self.players)
        self.close()
        self._observer.match_over(self.match)

    def restore(self, kept: KeptMatch) -> None:
        """Take up a match where the journal left it; a player is asked once it has come back."""
        self._awaited = {player for player in self.players if not player.is_present}
        if not kept.running:
            self.queue.when_fair(self._open_next)
            return
        self._set_up_game(kept.began_at)
        self._referee.replay(kept.moves)
        self._moves += kept.moves
        self._begin_game()

    def watch(self, seat: Seat, game: str | None = None) -> None:
        """Show a game, or the present one, to a spectator or to a player who watches as well."""
        self._arriving[seat] = game
        self._watch(seat, game)

    @queued
    def _watch(self, seat: Seat, game: str | None) -> None:
        is_over = self._referee.ended is not None
        if seat not in self._arriving:  # it left or unwatched while the journal was writing
            return
        del self._arriving[seat]
        if game is not None and (is_over or game != self.game):
            turn_away(seat, game)
        elif not is_over and (game is not None or seat not in self.audience):
            if game is None and seat.shown_wait_s():
                self.audience.begin_when_paid(seat)
            else:
                self.audience.begin(seat, self._snapshot(None))

    def unwatch(self, seat: Seat) -> None:
        self._arriving.pop(seat, None)
        self.audience.discard(seat)

    def show(self, send: Callable[[GameStart | None], None]) -> None:
        """Call ``send`` with a snapshot of the present game, once no step is half done."""
        self._asked.append(send)
        self._show()
        if self.queue.is_closed:
            self._answer(None)

    @queued
    def _show(self) -> None:
        self._answer(self._snapshot(None))

    def has_moved(self, name: str) -> bool:
        """Return whether a player has moved in the present game."""
        return self._referee.has_sown([player.name for player in self.seated].index(name))

    # What may happen at the table

    def play(self, player: Participant, move: Move) -> None:
        """Play a move; the kernel is asked when it arrived only if it is read after the flag."""
        now, flag = self._context.now(), self._referee.flag_at
        is_doubted = flag is not None and flag < now and move.ply == self._referee.ply
        self._play(player, move, player.arrival(now, is_doubted=is_doubted))

    @queued
    def _play(self, player: Participant, move: Move, arrival: Arrival) -> None:
        if move.game != self.game:
            return
        seat, referee = self.seated.index(player), self._referee
        stall_s = self._doubtful_stall_s(seat, move, arrival)
        if stall_s and (counted := self._voided(player)) is not None:
            held_up = f"{HELD_UP} {stall_s * 1000:.0f} ms"
            self._step(referee.doubt(arrival.latest, held_up), counted)
            return
        answer = seat, move.ply, move.pit, arrival.latest
        self._step(referee.play(*answer, info=move.info, provisional=move.provisional))

    def _doubtful_stall_s(self, seat: int, move: Move, arrival: Arrival) -> float:
        """Return how long the server was held up, if that hides whether the answer was in time."""
        referee, flag = self._referee, self._referee.flag_at
        if flag is None or not arrival.earliest <= flag < arrival.latest:
            return 0.0
        is_asked = move.ply == referee.ply and seat == referee.player
        if not (is_asked and referee.hangs_on(provisional=move.provisional)):
            return 0.0
        return self._context.fairness.stall_s(flag, self._context.now(), arrival.stall)

    def _voided(self, player: Participant) -> list[Counted] | None:
        """Count the game as void for a player's sake; return None if it may not be."""
        if player.is_own:
            return []
        at = self._context.now(), self._context.utc()
        return self._context.fairness.void(player.count_keys, self.game, *at) or None

    @queued
    def resign(self, player: Participant, resign: Resign) -> None:
        if resign.game == self.game:
            self._step(self._referee.resign(self.seated.index(player), resign.cause))

    @queued
    def fault(self, player: Participant, reason: Reason, detail: str, received: str = "") -> None:
        """End the game for what a player did outside of it."""
        self._step(self._referee.fault(self.seated.index(player), reason, detail, received))

    @queued
    def leave(self, player: Participant) -> None:
        """End the game of a player that said goodbye; it counts only if it has moved."""
        seat = self.seated.index(player)
        if self._referee.has_sown(seat):
            self._step(self._referee.fault(seat, Reason.DISCONNECTED, "said goodbye"))
            return
        detail = f"{player.name} said goodbye before its first move"
        if self._observer.left_early(self.match, player):
            detail = f"{detail}, too often in a day"
            self._step(self._referee.fault(seat, Reason.DISCONNECTED, detail))
        else:
            self._step(self._referee.abort(detail))

    @queued
    def end(self, detail: str, also: Sequence[Entry] = ()) -> None:
        """End the match; its present game does not count. Make ``also`` durable with it."""
        self.is_ended = True
        if self._referee.ended is None:
            self._step(self._referee.abort(detail), also)
        elif also:
            self._context.journal.commit(also, lambda: None)

    @queued
    def lost(self, player: Participant) -> None:
        if not player.is_present:
            self._note_absence(player)
            self._arm()

    @queued
    def back(self, player: Participant, former: Seat | None = None) -> None:
        """Note that a player is back, and send it a snapshot.

        What it said at a ``former`` seat that it leaves now, and was not heard there yet, is
        dropped. What it says here counts once that seat's front has passed on all it has, or has
        ended: then the player could not play there, and is asked anew.
        """
        seat = self.seated.index(player)
        self._awaited.discard(player)
        self._referee.rejoin(seat)
        player.send(self._snapshot(player))
        if self._referee.player == seat:
            self._ask_again()
            if former is not None and self._referee.flag_at is not None:
                self.queue.wait_for(former.hear_out, partial(self._excuse, former))
        self._arm()

    def _excuse(self, former: Seat) -> None:
        """Let a turn have its whole time again if the front of the seat that was left has ended."""
        if former.is_excused:
            self._referee.hold()
            self._ask()
        self._arm()

    def _hear_out(self) -> None:
        """Hear what the player to move has said in time, if that waits in a front."""
        seat = self.mover.seat
        if seat is None:
            self._expire()
        else:
            seat.hear_out(self._expire)

    @queued
    def _expire(self) -> None:
        counted = list[Counted]()

        def may_spare(seat: int) -> bool:
            """Return whether the game may be void for a player that was cut off and stays away."""
            found = self._voided(self.seated[seat])
            counted.extend(found or ())
            return found is not None

        events = self._referee.expire(self._context.now(), may_spare)
        if self._referee.ended is not None:
            has_sown = self._referee.has_sown
            self._note_deserters(
                player for seat, player in enumerate(self.seated) if not has_sown(seat)
            )
        self._step(events, counted)
