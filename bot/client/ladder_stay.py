"""The bot's stay on a ladder over one connection: when it joins, for how long, and when it leaves.

A bot that wants a number of games says with ``join`` after how many matches the server takes it out
of the ladder. Only the server's ``joined`` says how many games a match has; so the first ``join``
names as many matches as games, and a second one the right number. Where that number may be wrong
(a match began meanwhile, a challenge brings games, the server knows no such number), the bot leaves
when its last game begins.
"""

from __future__ import annotations

from mancala.protocol import messages as wire

from .state import ClientState


class LadderStay:
    """Decides what to send about the ladder; a bot without a ladder sends nothing."""

    def __init__(self, state: ClientState) -> None:
        self._state = state
        self._has_joined = self._may_be_member = self._is_bounded = False

    def on_welcome(self, welcome: wire.Welcome) -> None:
        """Note that a session was resumed, and with it perhaps a membership."""
        self._may_be_member = welcome.resumed

    def next_messages(self) -> tuple[wire.Join | wire.Leave, ...]:
        """Return what is to be sent now."""
        wanted, ladder = self._state.wanted_ladder, self._state.profile.ladder
        if wanted is not None and not self._has_joined:
            self._has_joined = self._may_be_member = True
            return (wire.Join(wanted, self._state.matches_wanted(1)),)
        is_over = wanted is None and (self._state.is_leaving or not self._is_bounded)
        if ladder is not None and is_over and self._may_be_member:
            self._has_joined = self._may_be_member = False
            return (wire.Leave(ladder),)
        return ()

    def on_joined(self, joined: wire.Joined) -> tuple[wire.Join, ...]:
        """Note the server's answer; return a `Join` with another number if the first is wrong."""
        wanted = self._state.matches_wanted(joined.games)
        if wanted is None or joined.matches is None or self._state.matches:
            self._is_bounded = False
            return ()
        self._is_bounded = joined.matches == wanted
        return () if self._is_bounded else (wire.Join(joined.ladder, wanted),)

    def on_left(self) -> None:
        """Note that the bot is no member any more."""
        self._has_joined = self._may_be_member = self._is_bounded = False

    def on_challenge(self) -> None:
        """Note that a challenge may bring games, so that fewer matches of the ladder are wanted."""
        self._is_bounded = False
