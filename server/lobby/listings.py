"""Lists of ladders, connected bots and running games, by pages that fit into a frame."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from mancala.protocol import codec
from mancala.protocol.messages import List, Listable, ListedBot, ListedGame, ListedLadder, Listing

from ..ladders.ladder import Ladder
from ..ladders.registry import Ladders
from ..match.participant import Participant
from ..match.table import Table

PAGE: Final = 50
"""Entries of a page, if they are short."""
PAGE_BYTES: Final = codec.FRAME_LIMIT - 1024
"""Bytes of a page's entries; the rest of the frame is left to what is around them."""

Entry = TypeVar("Entry", ListedLadder, ListedBot, ListedGame)


class Listings:
    """Answers `list`."""

    def __init__(
        self, games: Mapping[str, Table], ladders: Ladders, bots: Mapping[str, Participant]
    ) -> None:
        """Read from the lobby as it stands at each request.

        Args:
            games: the tables by the id of their present game.
            ladders: the ladders.
            bots: the participants by name, present or not.
        """
        self._games = games
        self._ladders = ladders
        self._bots = bots

    def answer(self, player: Participant, request: List) -> None:
        """Send the page that was asked for."""
        after = request.after or ""
        match request.what:
            case Listable.LADDERS:
                joinable = (
                    each for each in self._ladders.all_ladders if not each.settings.requests
                )
                ladders = {ladder.name: ladder for ladder in joinable}
                shown, following = _page(ladders, after, lambda name: _ladder(ladders[name]))
                listing = Listing(request.what, ladders=shown, next=following)
            case Listable.BOTS:
                present = (name for name, bot in self._bots.items() if bot.is_present)
                found, following = _page(present, after, self._bot)
                listing = Listing(request.what, bots=found, next=following)
            case Listable.GAMES:
                running, following = _page(self._games, after, self._game)
                listing = Listing(request.what, games=running, next=following)
        player.send(listing)

    def _bot(self, name: str) -> ListedBot:
        bot = self._bots[name]
        ladders = tuple(each.name for each in self._ladders.all_ladders if name in each)
        return ListedBot(name, bot.agent, len(bot.matches), ladders, bot.takes_challenges)

    def _game(self, game: str) -> ListedGame:
        match = self._games[game].match
        terms = match.terms
        return ListedGame(game, match.id, match.seat_names, terms.rules, terms.rated, match.ladder)


def _ladder(ladder: Ladder) -> ListedLadder:
    rules, clock, _rated, games, _opening = ladder.terms
    guests = ladder.settings.guests
    return ListedLadder(ladder.name, rules, clock, games, ladder.present, guests)


def _page(
    keys: Iterable[str], after: str, entry_of: Callable[[str], Entry]
) -> tuple[tuple[Entry, ...], str | None]:
    """Return the entries whose keys follow `after`, and the last key if there are more."""
    found = heapq.nsmallest(PAGE + 1, (key for key in keys if key > after))
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
