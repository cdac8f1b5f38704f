"""All ladders of a server; hands each message, match or connection to the ladders it concerns."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from mancala.protocol.messages import ErrorCode, Join, Leave, Left, NextMatch

from ..config.ladders import LadderSettings
from ..match.context import Context
from ..match.participant import Participant, RequestError
from ..model.day_counts import Counted
from ..model.entrant import LiveRating
from ..model.journal import Entry, KeptLadder
from ..model.match import EventContext, LadderContext, Match, Terms
from ..model.orders import EndedSeason
from ..model.seat_columns import tally_columns
from ..net.seat import Seat
from .ladder import Ladder, MatchStarter
from .state import NO_SEEDS


class Ladders:
    def __init__(self, context: Context, starter: MatchStarter) -> None:
        self._context = context
        self._starter = starter
        self._by_name: dict[str, Ladder] = {}
        for settings in context.config.now.ladder:
            self._open(settings)

    def _open(self, settings: LadderSettings) -> Ladder:
        ladder = self._by_name[settings.name] = Ladder(settings, self._context, self._starter)
        return ladder

    def _archive(self, ended: EndedSeason) -> Ladder:
        season = ended.season
        settings = LadderSettings(
            name=ended.name,
            rules=season.rules,
            clock=season.clock,
            games=season.games,
            anchors=season.anchors,
            house=dict.fromkeys(season.house, ""),
        )
        return self._open(settings)

    @property
    def all_ladders(self) -> tuple[Ladder, ...]:
        return tuple(self._by_name.values())

    def get(self, name: str | None) -> Ladder | None:
        return None if name is None else self._by_name.get(name)

    def find(self, name: str) -> Ladder:
        """Return a ladder that a bot names; RequestError when there is none."""
        if name not in self._by_name:
            known = ", ".join(self._by_name)
            others = f"there are: {known}" if known else "this server has none"
            detail = f"there is no ladder {name}; {others}"
            raise RequestError(ErrorCode.UNKNOWN_LADDER, detail, name)
        return self._by_name[name]

    def reload(self) -> tuple[Ladder, ...]:
        """Take the settings now in force; return new ladders, which wait to be restored."""
        opened = []
        for settings in self._context.config.now.ladder:
            ladder = self._by_name.get(settings.name)
            if ladder is None:
                opened.append(ladder := self._open(settings))
                ladder.is_opening = True
            elif ladder.settings != settings:
                ladder.reload(settings)
        return tuple(opened)

    def begin(self, ladder: Ladder, kept: KeptLadder) -> None:
        """Restore a ladder that was opened while the server runs, and let it begin matches."""
        ladder.restore(kept, ())
        ladder.is_opening = False
        ladder.look_again()

    # Messages

    def join(self, player: Participant, join: Join) -> None:
        """Add a bot to a ladder, or refuse it."""
        ladder = self.find(join.ladder)
        try:
            ladder.join(player, join.matches)
        except RequestError as refusal:
            facts = {"ladder": join.ladder, "name": player.name, "why": str(refusal)}
            self._context.log.info("join refused", **facts)
            raise

    def leave(self, player: Participant, leave: Leave) -> None:
        ladder = self.find(leave.ladder)
        if player.name in ladder:
            ladder.leave(player)
        else:
            player.send(Left(leave.ladder))

    def is_member(self, player: Participant) -> bool:
        return any(player.name in ladder for ladder in self._by_name.values())

    def next_matches(self, name: str) -> list[NextMatch]:
        return [ladder.next_match(name) for ladder in self._by_name.values() if name in ladder]

    # Connections

    def on_connect(self, player: Participant) -> None:
        """Note that a bot's connection stands again."""
        for ladder in self._by_name.values():
            ladder.on_connect(player)

    def on_disconnect(self, player: Participant) -> None:
        for ladder in self._by_name.values():
            ladder.on_disconnect(player)

    def forget(self, player: Participant) -> None:
        for ladder in self._by_name.values():
            ladder.forget(player)

    # Matches

    def counting(
        self, name: str | None, players: tuple[Participant, Participant], context: EventContext
    ) -> LadderContext | None:
        """Return what lets a ladder count a match of an event; None where none does."""
        ladder = self.get(name)
        return None if ladder is None else ladder.counting(players, context.openings)

    def counting_request(
        self, terms: Terms, players: tuple[Participant, Participant]
    ) -> tuple[Terms, LadderContext | None]:
        """Return the terms of a match that bots asked for, and what lets a ladder count it."""
        counting = [ladder for ladder in self._by_name.values() if ladder.settings.requests]
        if not counting or not terms.rated:
            return terms, None
        ladder = next((ladder for ladder in counting if ladder.is_played_by(terms)), None)
        context = None if ladder is None else ladder.counting(players, ())
        return terms._replace(rated=context is not None), context

    def is_paired(self, match: Match) -> bool:
        """Return whether a ladder paired a match; it may also count those of events and bots."""
        if match.ladder is None or match.event_context is not None:
            return False
        ladder = self.get(match.ladder)
        return ladder is None or not ladder.settings.requests

    def on_match_end(self, match: Match, players: Iterable[Participant]) -> None:
        theirs = self.get(match.ladder)
        if theirs is not None:
            theirs.on_stored(match.id)
        for player in players:
            if theirs is not None:
                theirs.on_match_end(player)
            self.found_time(player)

    def found_time(self, player: Participant) -> None:
        """Let a bot be paired that may have time for a match."""
        for ladder in self._by_name.values():
            ladder.found_time(player)

    def restore(
        self, kept: Mapping[str, KeptLadder], participants: Mapping[str, Participant]
    ) -> None:
        """Restore what the journal kept; ladders no longer configured stay in the store."""
        for season in self._context.orders.seasons:
            if season.name not in self._by_name:
                self._archive(season)
        for name, ladder in self._by_name.items():
            state = kept.get(name, KeptLadder())
            members = [participants[bot] for bot in state.members if bot in participants]
            ladder.restore(state, members, self._seeds(name, kept))

    def restore_count(self, counted: Counted, since: float) -> None:
        ladder = self.get(counted.ladder)
        if ladder is not None:
            ladder.restore_count(counted, since)

    def _seeds(self, name: str, kept: Mapping[str, KeptLadder]) -> Mapping[str, LiveRating]:
        former = self.latest_season(name)
        if former is None or not former.season.seeds:
            return NO_SEEDS
        played = kept.get(former.name, KeptLadder())
        has_played = frozenset(tally_columns(played.tallies).names)
        return {each.name: each.live for each in played.entrants if each.name in has_played}

    def close(self) -> None:
        for ladder in self._by_name.values():
            ladder.close()

    # Seasons

    def latest_season(self, ladder: str) -> EndedSeason | None:
        its = [each for each in self._context.orders.seasons if each.season.ladder == ladder]
        return its[-1] if its else None

    def end_season(self, ended: EndedSeason) -> tuple[list[Entry], Callable[[], None]]:
        """End the season of a ladder; return what becomes durable, and what takes it back."""
        ladder = self._by_name[ended.season.ladder]
        entries = ladder.end_season(self._archive(ended), seeds=ended.season.seeds)
        return entries, partial(self.reopen_season, ended)

    def reopen_season(self, ended: EndedSeason) -> None:
        """Let a season that was over be the present one of its ladder again."""
        archive = self._by_name.pop(ended.name)
        archive.close()
        self._by_name[ended.season.ladder].take_season(archive)

    # Spectators

    def is_watched_by(self, seat: Seat) -> bool:
        return any(seat in ladder.watchers for ladder in self._by_name.values())

    def unwatch(self, seat: Seat, name: str | None = None) -> None:
        """Stop showing a connection one ladder, or all."""
        for ladder in self._by_name.values():
            if name in (None, ladder.name):
                ladder.watchers.discard(seat)
