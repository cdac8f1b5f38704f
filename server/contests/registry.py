"""All events of a server; hands each match or connection to the events it concerns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mancala.protocol.referee import Ended
from mancala.server.config.events import EventSettings
from mancala.server.contests.contest import Contest, ContestStarter
from mancala.server.context import Context
from mancala.server.model.contests import KeptEvent
from mancala.server.model.journal import Entry
from mancala.server.model.match import Match

NOTHING: Final[tuple[Entry, ...]] = ()


class Contests:
    """The events, by name."""

    def __init__(
        self, events: Iterable[EventSettings], context: Context, starter: ContestStarter
    ) -> None:
        """Prepare all events.

        Args:
            events: the settings of each.
            context: clock, journal and the rest of what the server hands out.
            starter: starts their matches.
        """
        self._by_name = {each.name: Contest(each, context, starter) for each in events}

    @property
    def all_contests(self) -> tuple[Contest, ...]:
        """The events, as configured."""
        return tuple(self._by_name.values())

    def get(self, name: str) -> Contest | None:
        """Return an event, or None when there is no such event."""
        return self._by_name.get(name)

    def restore(self, kept: Mapping[str, KeptEvent]) -> None:
        """Restore what the journal kept; events no longer configured stay in the store."""
        for name, contest in self._by_name.items():
            if name in kept:
                contest.restore(kept[name])

    def look(self) -> None:
        """Let each event do what it can."""
        for contest in self._by_name.values():
            contest.look()

    def is_waiting(self, name: str) -> bool:
        """Return whether a bot is an entrant of an event that is not over."""
        return any(
            each.name == name and not each.has_withdrawn
            for contest in self._by_name.values()
            if not contest.state.phase.is_over
            for each in contest.state.entrants
        )

    def close(self) -> None:
        """Start no further match."""
        for contest in self._by_name.values():
            contest.close()

    # Matches

    def opened(self, match: Match) -> None:
        """Note that a match was set up, or goes on after a restart."""
        if (contest := self._contest_of(match)) is not None and match.event_context is not None:
            contest.opened(match, match.event_context)

    def count(self, match: Match, ended: Ended) -> Sequence[Entry]:
        """Count a game, if it is an event's; return what becomes durable with its end."""
        contest = self._contest_of(match)
        if contest is None or match.event_context is None:
            return NOTHING
        return contest.count(match, match.event_context, ended)

    def on_match_end(self, match: Match) -> None:
        """Note that a match is over, here or elsewhere: its players are free."""
        theirs = self._contest_of(match)
        if theirs is not None and match.event_context is not None:
            theirs.on_match_end(match, match.event_context)
        for contest in self._by_name.values():
            if contest is not theirs:
                contest.look()

    def _contest_of(self, match: Match) -> Contest | None:
        return None if match.event_context is None else self._by_name.get(match.event_context.event)
