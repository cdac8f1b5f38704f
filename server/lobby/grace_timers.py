"""The seats of lost connections: kept for the grace time, or until the last match is over."""

from __future__ import annotations

from functools import partial

from ..ladders.registry import Ladders
from ..match.context import Context
from ..match.participant import Participant
from ..model.journal import SessionClosed
from ..model.timers import Timer
from .directory import Directory


class GraceTimers:
    """Forgets participants that don't come back in time."""

    def __init__(self, directory: Directory, ladders: Ladders, context: Context) -> None:
        """Create it, with no timer running.

        Args:
            directory: where participants are forgotten.
            ladders: forget them as well.
            context: settings, clock and journal.
        """
        self._directory = directory
        self._ladders = ladders
        self._context = context
        self._timers: dict[Participant, Timer] = {}
        self._is_closed = False

    def start(self, player: Participant) -> None:
        """Forget a participant once its time is over; a timer may fire a little early."""
        self._timers.pop(player, None)
        if self._is_closed or player.is_present or self.forget_if_done(player):
            return
        ends = player.kept_until(self._context.config.now.grace_s)
        if self._context.now() < ends:
            self._timers[player] = self._context.call_at(ends, partial(self.start, player))

    def cancel(self, player: Participant) -> None:
        """Keep a participant that is back."""
        timer = self._timers.pop(player, None)
        if timer is not None:
            timer.cancel()

    def forget_if_done(self, player: Participant) -> bool:
        """Forget a participant whose time and matches are over; return whether they are."""
        is_gone = player.is_gone(self._context.now(), self._context.config.now.grace_s)
        if player.is_present or player.matches or not is_gone:
            return False
        self.forget(player)
        return True

    def forget(self, player: Participant) -> None:
        """Forget a participant immediately, and close its session in the journal."""
        self.cancel(player)
        if self._directory.find(player.name) is player:
            self._ladders.forget(player)
        if self._directory.remove(player):
            self._context.journal.commit([SessionClosed(player.secret_hash)], lambda: None)

    def close(self) -> None:
        """Keep all participants from now on: the server stops, and its journal has the sessions."""
        self._is_closed = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
