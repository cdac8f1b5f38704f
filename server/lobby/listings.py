"""What may be asked of the lobby: who is there, what is played, and when a bot plays next."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from mancala.protocol import codec
from mancala.protocol import messages as wire

from ..ladders.ladder import Ladder
from ..match.participant import Participant
from ..model.match import Match
from .directory import Directory
from .requests import MatchRequests
from .tables import Tables

PAGE: Final = 50
"""Entries of a page, if they are short."""
PAGE_BYTES: Final = codec.FRAME_LIMIT - 1024
"""Bytes of a page's entries; the rest of the frame is left to what is around them."""
MOST_SCHEDULED: Final = 60
"""Matches in an answer, which fit into a frame."""

Entry = TypeVar("Entry", wire.ListedLadder, wire.ListedBot, wire.ListedGame)


@dataclass(frozen=True, slots=True)
class Listings:
    """Answers ``list`` and ``schedule`` from the lobby as it stands at each request."""

    directory: Directory
    tables: Tables
    requests: MatchRequests

    def answer(self, player: Participant, request: wire.List) -> None:
        what, after = request.what, request.after or ""
        match what:
            case wire.Listable.LADDERS:
                everything = self.tables.ladders.all_ladders
                ladders = {each.name: each for each in everything if not each.settings.requests}
                names = sorted(name for name in ladders if name > after)
                shown, following = _page(names, lambda name: _ladder(ladders[name]))
                listing = wire.Listing(what, ladders=shown, next=following)
            case wire.Listable.BOTS:
                found, following = _page(self.directory.present_after(after), self._bot)
                listing = wire.Listing(what, bots=found, next=following)
            case wire.Listable.GAMES:
                running, following = _page(self.tables.shown_after(after), self._game)
                listing = wire.Listing(what, games=running, next=following)
        player.send(listing)

    def _bot(self, name: str) -> wire.ListedBot:
        bot, ladders = self.directory.by_name[name], self.tables.ladders.all_ladders
        joined = tuple(each.name for each in ladders if name in each)
        return wire.ListedBot(name, bot.agent, len(bot.matches), joined, bot.takes_challenges)

    def _game(self, game: str) -> wire.ListedGame:
        match = self.tables.by_game[game].match
        terms = match.terms
        return wire.ListedGame(
            game, match.id, match.seat_names, terms.rules, terms.rated, match.ladder
        )

    def schedule(self, player: Participant, request: wire.Schedule) -> None:
        name = request.bot or player.name
        player.send(wire.Scheduled(name, self.schedule_of(name)))

    def schedule_of(self, name: str) -> tuple[wire.NextMatch, ...]:
        """Return what a bot plays next: matches under way first, then events and ladders."""
        return tuple(islice(self._next_matches(name), MOST_SCHEDULED))

    def _next_matches(self, name: str) -> Iterator[wire.NextMatch]:
        player = self.directory.find(name)
        matches = player.matches.values() if player is not None else ()
        yield from (_under_way(match, name) for match in matches)
        for room in (self.tables.contests, self.tables.ladders, self.requests):
            yield from room.next_matches(name)


def _ladder(ladder: Ladder) -> wire.ListedLadder:
    rules, clock, _rated, games, _opening = ladder.terms
    guests = ladder.settings.guests
    return wire.ListedLadder(ladder.name, rules, clock, games, ladder.present, guests)


def _page(
    keys: Iterable[str], entry_of: Callable[[str], Entry]
) -> tuple[tuple[Entry, ...], str | None]:
    """Return the first entries, whose keys come in order, and the last key if there are more."""
    found = [*islice(keys, PAGE + 1)]
    entries: list[Entry] = []
    size = 0
    for key in found[:PAGE]:
        entry = entry_of(key)
        size += len(codec.to_json(entry)) + 1
        if entries and size > PAGE_BYTES:
            break
        entries.append(entry)
    is_last = len(entries) == len(found)
    return tuple(entries), None if is_last else found[len(entries) - 1]


def _under_way(match: Match, name: str) -> wire.NextMatch:
    (opponent,) = (other for other in match.names if other != name)
    event = match.event_context.event if match.event_context is not None else None
    left = match.terms.games - max(0, match.number)
    return wire.NextMatch(wire.MatchOrigin.MATCH, match.ladder or event or "", opponent, left)
