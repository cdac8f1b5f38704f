"""All ladders of a server; hands each message, match or connection to the ladders it concerns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from protocol.messages import ErrorCode, Join, Leave, Left
from protocol.referee import Ended
from server.config.ladders import LadderSettings
from server.context import Context
from server.ladders.ladder import Ladder, MatchStarter, Refusal, refuse
from server.match.participant import Participant
from server.model.day_counts import Counted
from server.model.journal import Announcement, Entry, KeptLadder
from server.model.match import Match
from server.net.seat import Seat


class Ladders:
    """The ladders, by name."""

    def __init__(
        self, ladders: Iterable[LadderSettings], context: Context, starter: MatchStarter
    ) -> None:
        """Open all ladders, empty.

        Args:
            ladders: the settings of each.
            context: clock, journal and the rest of what the server hands out.
            starter: starts their matches.
        """
        self._context = context
        self._by_name = {settings.name: Ladder(settings, context, starter) for settings in ladders}

    @property
    def all_ladders(self) -> tuple[Ladder, ...]:
        """The ladders, as configured."""
        return tuple(self._by_name.values())

    def get(self, name: str) -> Ladder | None:
        """Return a ladder, or None when there is no such ladder."""
        return self._by_name.get(name)

    def find(self, who: Participant, name: str) -> Ladder | None:
        """Return a ladder that a bot names; when there is none, answer the bot with an error."""
        ladder = self._by_name.get(name)
        if ladder is None:
            detail = f"there is no ladder {name}"
            refuse(who, Refusal(ErrorCode.UNKNOWN_LADDER, detail), name)
        return ladder

    # Messages

    def join(self, who: Participant, join: Join) -> None:
        """Add a bot to a ladder, or answer it with the reason why not."""
        ladder = self.find(who, join.ladder)
        refusal = ladder.join(who, join.matches) if ladder is not None else None
        if refusal is not None:
            self._context.log.info(
                "join refused", ladder=join.ladder, name=who.name, why=refusal.message
            )
            refuse(who, refusal, join.ladder)

    def is_member(self, who: Participant) -> bool:
        """Return whether a bot is in any ladder."""
        return any(who.name in ladder for ladder in self._by_name.values())

    def reconfigure(self, ladders: Iterable[LadderSettings]) -> None:
        """Take new settings; new ladders open only after a restart."""
        for settings in ladders:
            ladder = self._by_name.get(settings.name)
            if ladder is not None:
                ladder.settings = settings

    def leave(self, who: Participant, leave: Leave) -> None:
        """Remove a bot from a ladder."""
        ladder = self.find(who, leave.ladder)
        if ladder is None:
            return
        if who.name in ladder:
            ladder.leave(who)
        else:
            who.send(Left(leave.ladder))

    # Connections

    def came(self, who: Participant) -> None:
        """Note that a bot's connection stands again."""
        for ladder in self._by_name.values():
            ladder.came(who)

    def went(self, who: Participant) -> None:
        """Note that a bot's connection is gone."""
        for ladder in self._by_name.values():
            ladder.went(who)

    def forget(self, who: Participant) -> None:
        """Note that a bot's session is over."""
        for ladder in self._by_name.values():
            ladder.forget(who)

    # Matches

    def count(self, match: Match, ended: Ended, result: Announcement) -> Sequence[Entry]:
        """Count a game, if it is a ladder's; return what becomes durable with its end."""
        ladder = self._ladder_of(match)
        if ladder is None or match.ladder_context is None:
            return ()
        return ladder.count(match, match.ladder_context, ended, result)

    def left_early(self, match: Match, who: Participant) -> bool:
        """Note that a player left before its first move; return whether that loses the game."""
        ladder = self._ladder_of(match)
        return ladder is not None and ladder.left_early(who, match.id)

    def ratings(self, match: Match) -> dict[str, float] | None:
        """Return both bots' ratings, or None when the match is no ladder's."""
        ladder = self._ladder_of(match)
        if ladder is None or match.ladder_context is None:
            return None
        return ladder.ratings(match, match.ladder_context)

    def done(self, match: Match, players: Iterable[Participant]) -> None:
        """Note that a match is over."""
        theirs = self._ladder_of(match)
        for who in players:
            if theirs is not None:
                theirs.done(who)
            for ladder in self._by_name.values():
                ladder.found_time(who)

    def resumed(self, match: Match) -> None:
        """Note that a match restored from the journal goes on."""
        ladder = self._ladder_of(match)
        if ladder is not None:
            ladder.resumed(match)

    def restore(
        self, kept: Mapping[str, KeptLadder], participants: Mapping[str, Participant]
    ) -> None:
        """Restore what the journal kept; ladders no longer configured stay in the store."""
        for name, ladder in self._by_name.items():
            state = kept.get(name, KeptLadder())
            members = [participants[bot] for bot in state.members if bot in participants]
            ladder.restore(state, members)

    def recall(self, counted: Counted, since: float) -> None:
        """Count again what a former server counted; ``since`` is when, on the loop's clock."""
        ladder = self._by_name.get(counted.ladder)
        if ladder is not None:
            ladder.recall(counted, since)

    def close(self) -> None:
        """Start no further match."""
        for ladder in self._by_name.values():
            ladder.close()

    def _ladder_of(self, match: Match) -> Ladder | None:
        return None if match.ladder is None else self._by_name.get(match.ladder)

    # Spectators

    def watchers(self, match: Match) -> tuple[Seat, ...]:
        """Return the connections that watch every game of a match's ladder."""
        ladder = self._ladder_of(match)
        return tuple(ladder.watchers) if ladder is not None else ()

    def is_watched_by(self, seat: Seat) -> bool:
        """Return whether a connection watches a ladder."""
        return any(seat in ladder.watchers for ladder in self._by_name.values())

    def unwatch(self, seat: Seat, name: str | None = None) -> None:
        """Stop showing a connection one ladder, or all."""
        for ladder in self._by_name.values():
            if name in (None, ladder.name):
                ladder.watchers.discard(seat)
