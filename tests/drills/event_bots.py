"""Bots of an event whose moves follow from their name and the position alone.

So a game of two of them has one course, however often it is begun again; and the whole event has
one table, which is computed here without a server. There are bots of the ordinary client, clients
of the Kalah Game Protocol, and house bots, which the server runs from a file.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count, repeat
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Error, Page

from mancala.bot import Bot, Turn, run
from mancala.bot.client.errors import ClientError
from mancala.bot.kgp.client import run as run_kgp
from mancala.protocol import codec
from mancala.protocol.kgp.client import Introduction
from mancala.protocol.rules import KALAH, Board, State
from mancala.server.contest.events.entry import Entrants
from mancala.server.contest.events.pairings import PairedRound, Regulations, forfeited, pair
from mancala.server.contest.events.terms import seats_of
from mancala.server.model.game import RatedGame
from tests.drills.event import SeenGames
from tests.patience import PATIENCE_S
from tests.server.web.browser import browsing, visiting

RETRY_S: Final = 0.1
HOUSE_BOT: Final = """\
import random

def choose(turn):
    return random.Random(f"{key}/{{turn.board.text}}").choice(turn.legal)
"""


def key_of(seed: int, name: str) -> str:
    """Return what a bot's moves follow from, besides the position."""
    return f"{seed}/{name}"


def pit_of(key: str, board: Board) -> int:
    return random.Random(f"{key}/{board.text}").choice(board.legal())


def house_bot(folder: Path, seed: int, name: str) -> str:
    file = folder / f"{name}.py"
    file.write_text(HOUSE_BOT.format(key=key_of(seed, name)))
    return f"python:{file}:choose"


class PositionBot(Bot):
    """A bot whose moves follow from its name and the position."""

    def __init__(self, key: str, progress: SeenGames) -> None:
        self._key = key
        self._progress = progress

    async def choose(self, turn: Turn) -> int:
        """Return the pit, and tell of the game, whose end a kill may hide."""
        self._progress.note(turn.game.id)
        return pit_of(self._key, turn.board)


class HoldingBot(PositionBot):
    """A bot that waits in each of its first games for a gate, so that the round stays open.

    Args:
        key: what its moves follow from, besides the position.
        progress: counts its games.
        gates: those of its games, in the order in which they began; the last holds all later ones.
    """

    def __init__(self, key: str, progress: SeenGames, gates: Sequence[asyncio.Event]) -> None:
        super().__init__(key, progress)
        self._gates = gates
        self._numbers: dict[str, int] = {}

    async def choose(self, turn: Turn) -> int:
        """Return the pit once the game's gate is open."""
        number = self._numbers.setdefault(turn.game.id, len(self._numbers))
        await self._gates[min(number, len(self._gates) - 1)].wait()
        return await super().choose(turn)


async def attend(url: str, bot: Bot, *, name: str, event: str, session_file: Path) -> None:
    await run(
        url,
        bot,
        name=name,
        event=event,
        session_file=session_file,
        stop=asyncio.Event(),
        delays=lambda: repeat(RETRY_S),
        patience_s=PATIENCE_S,
    )


async def attend_by_kgp(url: str, bot: Bot, name: str) -> None:
    """Play on the Kalah Game Protocol's port until cancelled, coming back whenever it closes."""
    me = Introduction(name=name, token=f"token-of-{name}")
    while True:
        with suppress(ClientError):
            await run_kgp(url, bot, me)
        await asyncio.sleep(RETRY_S)


async def vanishing(attend_again: Callable[[], Awaitable[None]], moment: asyncio.Event) -> None:
    """Take part, drop the connection at a moment, and come back a little later."""
    task = asyncio.ensure_future(attend_again())
    await moment.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await asyncio.sleep(5 * RETRY_S)
    await attend_again()


def course_of(seats: tuple[str, str], seed: int) -> tuple[list[int], Board]:
    """Return the pits of the one game of two bots, and its last position."""
    keys = [key_of(seed, name) for name in seats]
    board, pits = Board.start(), list[int]()
    while not board.is_over:
        pits.append(pit_of(keys[board.player], board))
        board = board.sow(pits[-1]).board
    return pits, board


def game_of(seats: tuple[str, str], seed: int) -> RatedGame:
    _, board = course_of(seats, seed)
    south, north = board.stores
    winner = None if south == north else int(north > south)
    return RatedGame(*seats, winner, south - north)


def headless(
    regulations: Regulations, entrants: Entrants, seed: int, lost: Mapping[int, str]
) -> tuple[list[PairedRound], dict[int, RatedGame]]:
    rounds: list[PairedRound] = []
    results: dict[int, RatedGame] = {}
    for number in count(1):
        entered = tuple(each for each in entrants if each.joins <= number)
        paired = pair(regulations.terms(entered), results, number)
        if paired is None:
            return rounds, results
        rounds.append(paired)
        games = regulations.games
        for place, encounter in enumerate(paired.round.encounters):
            for at in range((paired.first + place) * games, (paired.first + place + 1) * games):
                seats = seats_of(encounter, games, at)
                played = at not in lost
                results[at] = game_of(seats, seed) if played else forfeited(seats, {lost[at]})
    raise AssertionError


CLIENT: Final = """document.querySelector('link[href$="/client.js"]').href"""
"""Where a page that plays has the client's module."""
PLAY: Final = """async ({ address, url, name, event }) => {
  const { Client } = await import(address);
  const choose = ({ game, state }) => window.pitOf(game, state);
  const client = new Client(url, { name, choose, storage: localStorage });
  client.on("withdrawn", () => client.goodbye());
  client.on("welcome", () => window.welcomed());
  client.enter(event);
  await client.run();
}"""


class BrowserBot:
    """A bot in a browser."""

    def __init__(self, key: str, progress: SeenGames) -> None:
        self.connections = 0
        self._key = key
        self._progress = progress

    async def attend(self, page_url: str, url: str, *, name: str, event: str) -> None:
        facts = {"url": url, "name": name, "event": event}
        async with browsing() as browser, visiting(browser, page_url) as tab:
            await tab.page.expose_function("pitOf", self._pit)
            await tab.page.expose_function("welcomed", self._note_welcome)
            address = await _opened(tab.page)
            await tab.page.evaluate(PLAY, {**facts, "address": address})

    def _pit(self, game: str, state: dict[str, Any]) -> int:
        self._progress.note(game)
        position = codec.from_json(codec.to_json(state), State)
        return pit_of(self._key, Board.from_state(position, KALAH))

    def _note_welcome(self) -> None:
        self.connections += 1


async def _opened(page: Page) -> str:
    """Open a page of the server, which may be starting; return the address of its client."""
    while True:
        try:
            await page.goto("/play")
            return str(await page.evaluate(CLIENT))
        except Error:
            await asyncio.sleep(RETRY_S)
