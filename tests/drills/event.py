"""An event with predetermined moves, played by bots of the ordinary client.

A bot's answer depends only on the seed, the pairing, its seat, the game's number among those in
that seat, and the ply. So the event has one correct crosstable, whatever happens to the server and
whichever bot asked for the match first.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Final

from mancala.bot import Bot, Game, GameResult, Turn, run
from mancala.protocol import results
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason, Seek
from mancala.protocol.rules import KALAH
from tests.drills.databases import rows
from tests.drills.hosting import ServerHost
from tests.drills.report import for_each

RETRY_S: Final = 0.1
CLOCK: Final = TimeControl(move_ms=60_000)
GRACE: Final = "grace_s = 600.0\n"
"""A setting with which bots take back their seats from a server that was killed."""
KEPT: Final = """\
SELECT games.id, games.number, matches.first, matches.second,
       games.winner, games.south_store, games.north_store, games.reason
FROM games JOIN matches ON games.match = matches.id
WHERE games.ended_at IS NOT NULL
"""
KEPT_MATCHES: Final = "SELECT id FROM matches WHERE ended_at IS NOT NULL"

Pair = tuple[str, str]
Crosstable = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """The pairings of the event.

    Attributes:
        bots: how many bots, an even number; each meets every other.
        games: games of each pairing, an even number; seats are swapped after each.
    """

    bots: int
    games: int
    seed: int

    @property
    def pairings(self) -> int:
        return self.bots * (self.bots - 1) // 2

    @property
    def total(self) -> int:
        return self.games * self.pairings

    def rounds(self) -> Iterator[list[Pair]]:
        first, *others = [f"bot-{number}" for number in range(self.bots)]
        for _ in range(self.bots - 1):
            circle, half = [first, *others], self.bots // 2
            yield list(zip(circle[:half], reversed(circle[half:]), strict=True))
            others.append(others.pop(0))


class SeenGames:
    """Counts the games that bots tell of, each once."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._waiting: list[tuple[int, asyncio.Event]] = []

    def note(self, game: str) -> None:
        """Record a game; only the first of its two bots counts."""
        self._seen.add(game)
        for count, reached in self._waiting:
            if len(self._seen) >= count:
                reached.set()

    async def reach(self, count: int) -> None:
        reached = asyncio.Event()
        self._waiting.append((count, reached))
        if len(self._seen) < count:
            await reached.wait()


LATEST_S: Final = 0.1
"""A kill follows the end of its game within this time, in seconds."""


def moments(games: int, kills: int, seed: int) -> list[int]:
    """Return at which counts of finished games the server is killed."""
    rng = random.Random(f"{seed}/moments")
    return sorted(rng.randrange(games) for _ in range(kills))


async def keep_alive(
    ground: ServerHost,
    killed_after: Sequence[int],
    progress: SeenGames,
    over: asyncio.Event,
    seed: int,
) -> int:
    rng = random.Random(f"{seed}/delays")
    for moment in killed_after:
        async with ground.running() as life:
            await progress.reach(moment)
            await asyncio.sleep(rng.uniform(0, LATEST_S))
            await life.kill()
    async with ground.running():
        await over.wait()
    return len(killed_after)


class KeyedBot(Bot):
    """A bot whose answers depend only on a key, its seat, the game's number and the ply."""

    def __init__(self, key: str, progress: SeenGames) -> None:
        self._key = key
        self._progress = progress
        self._numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def game_started(self, game: Game) -> None:
        numbers = self._numbers[game.seat]
        numbers.setdefault(game.id, len(numbers))

    def game_over(self, result: GameResult) -> None:
        self._progress.note(result.game)

    async def choose(self, turn: Turn) -> int:
        seat = turn.game.seat
        key = f"{self._key}/{seat}/{self._numbers[seat][turn.game.id]}/{turn.ply}"
        return random.Random(key).choice(turn.legal)


async def play(url: str, event: RoundRobin, progress: SeenGames) -> list[GameResult]:
    told: list[GameResult] = []
    for pairs in event.rounds():
        bots = [
            _career(url, event, name, other, progress)
            for pair in pairs
            for name, other in (pair, pair[::-1])
        ]
        for told_to_one in await asyncio.gather(*bots):
            told += told_to_one
    return told


async def _career(
    url: str, event: RoundRobin, name: str, opponent: str, progress: SeenGames
) -> list[GameResult]:
    return await run(
        url,
        KeyedBot(f"{event.seed}/{name}/{opponent}", progress),
        name=name,
        games=event.games,
        seek=Seek(KALAH, CLOCK, opponent=opponent, games=event.games),
        session_file=None,
        stop=asyncio.Event(),
        delays=lambda: repeat(RETRY_S),
    )


@dataclass(frozen=True, slots=True)
class DrillGame:
    """A finished game as the store has it.

    Attributes:
        winner: the player who won; None for a draw.
    """

    game: str
    players: Pair
    winner: int | None
    stores: tuple[int, int]
    reason: str

    @property
    def points(self) -> tuple[float, float]:
        return (0.5, 0.5) if self.winner is None else (1.0 - self.winner, float(self.winner))


def kept_games(store: str) -> list[DrillGame]:
    return [
        DrillGame(
            game, (second, first) if number % 2 else (first, second), winner, (south, north), reason
        )
        for game, number, first, second, winner, south, north, reason in rows(store, KEPT)
    ]


def kept_matches(store: str) -> list[str]:
    return [match for (match,) in rows(store, KEPT_MATCHES)]


def agree(told: GameResult | results.GameResult, kept: DrillGame | None) -> bool:
    return kept is not None and (
        (told.winner, told.stores, told.reason) == (kept.winner, kept.stores, kept.reason)
    )


def nothing_lost(
    kept: Sequence[DrillGame], told: Iterable[GameResult], arrived: Sequence[results.GameResult]
) -> dict[str, bool]:
    """Return promises: the store, the bots and the MQTT consumers agree on all games."""
    by_id = {game.game: game for game in kept}
    return {
        "what a bot was told is in the store": for_each(
            agree(result, by_id.get(result.game)) for result in told
        ),
        "each game has one result over MQTT, and the store's": (
            Counter(result.game for result in arrived) == Counter(by_id.keys())
            and for_each(agree(result, by_id.get(result.game)) for result in arrived)
        ),
    }


def crosstable(games: Sequence[DrillGame]) -> Crosstable:
    table: Crosstable = {}
    for game in games:
        south, north = game.players
        for name, other, points in ((south, north, game.points[0]), (north, south, game.points[1])):
            row = table.setdefault(name, {})
            row[other] = row.get(other, 0.0) + points
    return {name: dict(sorted(row.items())) for name, row in sorted(table.items())}


def by_the_rules(games: Sequence[DrillGame]) -> bool:
    return for_each(game.reason == Reason.NORMAL for game in games)
