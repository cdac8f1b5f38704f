"""What the stage shows: the most exciting of the running games, else the best of the latest ones.

A game is worth watching if its players are strong and about equal, and if it was close: of those
named, most are between players of about one strength, half ended close, and no player is in more
than a third, as long as there are other games that are as even and as close. Names that the
organiser does not want to see on a wall are left out. A game that runs is shown from its first move
on, so that the board never waits for a player to begin. The order is found once in a few seconds
for all who look, so that it costs the store and the game server the same for one spectator as for a
thousand.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from statistics import fmean
from typing import Final

from msgspec.structs import replace

from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.messages import Reason

from ...config.settings import LEVEL_NAMES
from ...model.schemas.bots import BestRatings
from ...model.schemas.games import GameStatus, GameSummary, StageView
from ...store.reading.archive import Archive, FoundGames, GameFilter, GameKey
from ..feed import topics
from ..feed.kept_answers import KeptAnswers
from ..feed.topics import LiveState, UnavailableError

KEPT_S: Final = 4.0
"""How long an order is shown to all who ask."""
RUNNING: Final = 50
LATEST: Final = 100
"""The games that are chosen from: of those running, and of the latest."""
FURTHER: Final = (100,) * 5
"""Games that are looked at besides, in parts, where too few of the latest may be named."""
SHOWN: Final = 12
"""The games that are named."""
PLAYED: Final = frozenset({Reason.NORMAL, Reason.MAJORITY})
FEWEST_PLIES: Final = 12
UNRATED_ELO: Final = LEVEL_ELO[2] - 100.0
"""A player without a rating counts less than level 3."""
EVEN_ELO: Final = 200.0
MOST_UNEVEN: Final = 4
"""Games named in which the players' ratings differ by more, or are not known."""
CLOSE_SEEDS: Final = 10
MOST_OF_ONE: Final = 4
"""Games named of one player, while there are others as even and as close."""
MOST_NOT_CLOSE: Final = 6
"""Games named that ended with a greater difference, or still run."""
A_SEED_ELO: Final = 15.0
"""What a seed of the final difference costs."""


class Stage:
    """Chooses the games of the stage."""

    def __init__(
        self,
        archive: Archive,
        live_state: LiveState,
        words: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Choose nothing yet; names with any of ``words`` are never named."""
        self._archive = archive
        self._live_state = live_state
        self._words = words
        self._kept: KeptAnswers[StageView] = KeptAnswers(KEPT_S)

    async def show(self) -> StageView:
        """Return the games to show, the best first."""
        return await self._kept.get("stage", self._choose)

    async def _choose(self) -> StageView:
        running = [game for game in await self._games(GameStatus.RUNNING, RUNNING) if game.plies]
        latest = [game for game in await self._games(GameStatus.OVER, LATEST) if is_whole(game)]
        ratings = (await self.known((*running, *latest))).ratings
        ordered = varied((*best_first(running, ratings), *best_first(latest, ratings)))
        ordered = billed(ordered, ratings)
        names = tuple(game.game for game in ordered)
        reviewed = await self._archive.reviewed(names)
        return StageView(
            games=ordered,
            record=await self._archive.record(names[0]) if names else None,
            reviewed=tuple(name for name in names if name in reviewed),
        )

    async def _games(self, status: GameStatus, most: int) -> tuple[GameSummary, ...]:
        return (await self.named(GameFilter(status=status), None, most)).games

    async def named(
        self, wanted: GameFilter, after: GameKey | None, limit: int, *, guests: bool = False
    ) -> FoundGames:
        """Return a page of the games that may be named, those of guests if asked, latest first."""
        shown = list[GameSummary]()
        for most in (limit, *FURTHER):
            page = await self._archive.games(wanted, after=after, limit=most)
            if guests:
                shown += [game for game in page.games if not any(map(self.is_rude, game.players))]
            else:
                shown += nameable(page.games, await self.known(page.games))
            after = page.next
            if after is None or len(shown) >= limit:
                break
        if len(shown) > limit:
            after = GameKey(shown[limit - 1].started_at, shown[limit - 1].game)
        return FoundGames(tuple(shown[:limit]), after)

    async def known(self, games: Collection[GameSummary]) -> BestRatings:
        """Return what is known of their bots; while it can't be asked, who is in a ladder."""
        names = tuple(sorted({name for game in games for name in game.players}))
        in_ladders = {name for game in games if game.ladder for name in game.players}
        others = tuple(name for name in names if name not in in_ladders and name not in LEVEL_NAMES)
        found = BestRatings(ratings={}, unnamed=others)
        if names and self._live_state.is_alive():
            with suppress(UnavailableError):
                found = await self._live_state.ask(topics.BEST_RATINGS, names)
        return replace(found, unnamed=(*found.unnamed, *filter(self.is_rude, names)))

    def is_rude(self, name: str) -> bool:
        """Return whether a name holds a word that the organiser does not want on a wall."""
        lowered = name.lower()
        return any(word.lower() in lowered for word in self._words())


def nameable(games: Iterable[GameSummary], found: BestRatings) -> list[GameSummary]:
    """Return the games both of whose players may be named."""
    return [game for game in games if not set(game.players) & set(found.unnamed)]


def best_first(games: Iterable[GameSummary], ratings: Mapping[str, float]) -> list[GameSummary]:
    return sorted(games, key=lambda game: merit(game, ratings), reverse=True)


def varied(games: Iterable[GameSummary]) -> tuple[GameSummary, ...]:
    """Return games in their order, but further ones of the same two bots after all others."""
    ordered = tuple(games)
    first = {frozenset(game.players): game for game in reversed(ordered)}
    foremost = [game for game in ordered if first[frozenset(game.players)] is game]
    return (*foremost, *(game for game in ordered if game not in foremost))


def billed(games: Sequence[GameSummary], ratings: Mapping[str, float]) -> tuple[GameSummary, ...]:
    """Return the games to name, in order: not too many uneven ones, and half of them close."""
    chosen, left = list[GameSummary](), list(games)
    room = {is_even: MOST_UNEVEN, is_close: MOST_NOT_CLOSE}
    shown = Counter[str]()
    for most in (MOST_OF_ONE, SHOWN):
        asked, left = left, []
        for game in asked:
            lacking = [test for test in room if not test(game, ratings)]
            is_new = all(shown[name] < most for name in game.players)
            if is_new and all(room[test] for test in lacking) and len(chosen) < SHOWN:
                chosen.append(game)
                shown.update(game.players)
                room.update({test: room[test] - 1 for test in lacking})
            else:
                left.append(game)
    return (*spread(chosen), *left)[:SHOWN]


def spread(games: Iterable[GameSummary]) -> list[GameSummary]:
    """Return games in their order, but none after one of the same player while others are left.

    Those that are left then stand between earlier ones of others, where there is such a place.
    """
    left, spaced = list(games), list[GameSummary]()
    while left:
        fresh = (at for at, game in enumerate(left) if not _met(game, spaced[-1:]))
        game = left.pop(next(fresh, 0))
        places = (at for at in range(len(spaced), 0, -1) if not _met(game, spaced[at - 1 : at + 1]))
        spaced.insert(next(places, len(spaced)), game)
    return spaced


def _met(game: GameSummary, others: Iterable[GameSummary]) -> bool:
    return any({*game.players} & {*other.players} for other in others)


def is_even(game: GameSummary, ratings: Mapping[str, float]) -> bool:
    """Return whether the ratings of both players are known, and about the same."""
    known = [ratings[name] for name in game.players if name in ratings]
    return len(known) == len(game.players) and max(known) - min(known) <= EVEN_ELO


def is_close(game: GameSummary, _ratings: Mapping[str, float]) -> bool:
    """Return whether a game ended with a small difference."""
    return game.stores is not None and abs(game.stores[0] - game.stores[1]) <= CLOSE_SEEDS


def is_whole(game: GameSummary) -> bool:
    """Return whether a finished game was played to its end, and is long enough to be watched."""
    return game.reason in PLAYED and game.plies >= FEWEST_PLIES and not game.annulled


def merit(game: GameSummary, ratings: Mapping[str, float]) -> float:
    """Return how much a game is worth watching, in Elo: strength, less inequality and margin."""
    one, other = (ratings.get(name, UNRATED_ELO) for name in game.players)
    margin = 0 if game.stores is None else abs(game.stores[0] - game.stores[1])
    return fmean((one, other)) - abs(one - other) / 2 - A_SEED_ELO * margin
