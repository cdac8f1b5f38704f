"""All ladders of a server: which of them a message, a match or a connection concerns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from protocol.messages import ErrorCode, Join, Leave
from protocol.referee import Ended
from server.config.ladders import LadderSettings
from server.ladders.room import LadderRoom, Refusal, World, refuse
from server.match.participant import Participant
from server.model.journal import Announcement, Entry, KeptLadder
from server.model.match import Match
from server.net.seat import Seat


class Ladders:
    """The ladders, by name."""

    def __init__(self, ladders: Iterable[LadderSettings], world: World) -> None:
        """Open them, empty.

        Args:
            ladders: what the organiser has set of each.
            world: what they stand on.
        """
        self._rooms = {settings.name: LadderRoom(settings, world) for settings in ladders}

    @property
    def rooms(self) -> tuple[LadderRoom, ...]:
        """The ladders, as configured."""
        return tuple(self._rooms.values())

    def room(self, ladder: str) -> LadderRoom | None:
        """Find a ladder."""
        return self._rooms.get(ladder)

    def find(self, who: Participant, ladder: str) -> LadderRoom | None:
        """Find a ladder that a bot names; it is told when there is none."""
        room = self._rooms.get(ladder)
        if room is None:
            detail = f"there is no ladder {ladder}"
            refuse(who, Refusal(ErrorCode.UNKNOWN_LADDER, detail), ladder)
        return room

    # What bots say

    def join(self, who: Participant, join: Join) -> None:
        """Take a bot into a ladder, or tell it why not."""
        room = self.find(who, join.ladder)
        refusal = room.join(who) if room is not None else None
        if refusal is not None:
            refuse(who, refusal, join.ladder)

    def is_member(self, who: Participant) -> bool:
        """Tell whether a bot is in any ladder."""
        return any(who.name in room for room in self._rooms.values())

    def reconfigure(self, ladders: Iterable[LadderSettings]) -> None:
        """Take new settings; ladders that are not open stay closed."""
        for settings in ladders:
            room = self._rooms.get(settings.name)
            if room is not None:
                room.settings = settings

    def leave(self, who: Participant, leave: Leave) -> None:
        """Let a bot leave a ladder."""
        room = self.find(who, leave.ladder)
        if room is not None:
            room.leave(who)

    # What becomes of bots

    def came(self, who: Participant) -> None:
        """Note that a bot's connection stands again."""
        for room in self._rooms.values():
            room.came(who)

    def went(self, who: Participant) -> None:
        """Note that a bot's connection is gone."""
        for room in self._rooms.values():
            room.went(who)

    def forget(self, who: Participant) -> None:
        """Note that a bot's session is over."""
        for room in self._rooms.values():
            room.forget(who)

    # What becomes of matches

    def book(self, match: Match, ended: Ended, result: Announcement) -> Sequence[Entry]:
        """Count a game, if it is a ladder's; gives what becomes durable with its end."""
        room = self._room_of(match)
        if room is None or match.occasion is None:
            return ()
        return room.book(match, match.occasion, ended, result)

    def ratings(self, match: Match) -> dict[str, float] | None:
        """Tell both bots' ratings, if the match is a ladder's."""
        room = self._room_of(match)
        if room is None or match.occasion is None:
            return None
        return room.ratings(match, match.occasion)

    def done(self, match: Match, players: Iterable[Participant]) -> None:
        """Note that a match is over."""
        theirs = self._room_of(match)
        for who in players:
            if theirs is not None:
                theirs.done(who)
            for room in self._rooms.values():
                room.found_time(who)

    def resumed(self, match: Match) -> None:
        """Note that a match of a former server goes on."""
        room = self._room_of(match)
        if room is not None:
            room.resumed(match)

    def restore(self, kept: Mapping[str, KeptLadder], everybody: Mapping[str, Participant]) -> None:
        """Take up what a former server left; what is no longer configured rests in the store."""
        for name, room in self._rooms.items():
            ladder = kept.get(name, KeptLadder())
            room.restore(ladder, [everybody[bot] for bot in ladder.members if bot in everybody])

    def close(self) -> None:
        """Begin nothing any more."""
        for room in self._rooms.values():
            room.close()

    def _room_of(self, match: Match) -> LadderRoom | None:
        return None if match.ladder is None else self._rooms.get(match.ladder)

    # Who looks on

    def watchers(self, match: Match) -> tuple[Seat, ...]:
        """Tell which connections look on at every game of a match's ladder."""
        room = self._room_of(match)
        return tuple(room.watchers) if room is not None else ()

    def is_watched_by(self, seat: Seat) -> bool:
        """Tell whether a connection looks on at a ladder."""
        return any(seat in room.watchers for room in self._rooms.values())

    def unwatch(self, seat: Seat, ladder: str | None = None) -> None:
        """Show a connection one ladder no more, or none."""
        for name, room in self._rooms.items():
            if ladder in (None, name):
                room.watchers.discard(seat)
