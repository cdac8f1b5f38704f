"""A client of the Kalah Game Protocol as its author runs it, on a ladder of its own kind.

The protocol sends positions, and no session can be resumed with a guest's name. So the ledger hears
nothing of these games; what a client was told of their ends is compared with the store.
"""

import asyncio
import logging
import random
from collections.abc import Mapping
from typing import Final

from mancala.bot.client.bot import Bot, GameResult, Turn
from mancala.bot.client.errors import ConnectionFailedError, RefusedError
from mancala.bot.kgp.client import run
from mancala.protocol.kgp.client import Introduction
from mancala.protocol.messages import Reason
from mancala.protocol.player import PlayerError
from tests.simulate.faults import POLITE, BotFaults
from tests.simulate.full_stack.program import SimulatedProgram, Venue
from tests.simulate.full_stack.server_run import ADDRESS, KGP_PORT
from tests.simulate.plan import FaultPlan
from tests.simulate.promises import Promise, broken
from tests.simulate.reading import StoredGame
from tests.simulate.trace import RareEvent

NUMBERS: Final = (0, 2, 2, 3)
"""How many clients there are, one for each world at random."""
KGP_FAULTS: Final = (
    POLITE,
    BotFaults("slow", think_s=0.8, provisional=0.5),
    BotFaults("silent", silent=0.03, provisional=0.3),
    BotFaults("dropping", drop=0.05),
    BotFaults("resigning", resign=0.03),
)

logging.getLogger("mancala.bot.kgp.client").addHandler(
    logging.NullHandler()
)  # what it says is in no log


class KgpPlayer(SimulatedProgram, Bot):
    """One client over all its processes."""

    away_s = 0.1, 3.0

    def __init__(self, venue: Venue, name: str, faults: BotFaults, address: str) -> None:
        super().__init__(venue, name, address)
        self.faults = faults
        self.results: dict[str, GameResult] = {}

    @property
    def delay_s(self) -> float:
        return self.faults.delay_s

    def start(self) -> None:
        """Start a process, unless one runs or the world has calmed down."""
        self.is_done = self.is_done or self._venue.is_calm
        super().start()

    def calm_down(self) -> None:
        """Stop injecting faults and log out after the running game."""
        self.faults = POLITE
        self.is_done = self._host is None
        self.ask_to_stop()

    async def main(self, stop: asyncio.Event) -> None:
        """Run the client."""
        url = f"tcp://{ADDRESS}:{KGP_PORT}"
        try:
            await run(url, self, Introduction(name=self.name), stop=stop)
        except (ConnectionFailedError, RefusedError) as error:
            self._trace.tell(self.name, f"its run ends: {error!r}")

    async def choose(self, turn: Turn) -> int:
        faults, trace = self.faults, self._trace
        think_s = min(trace.rng.expovariate(1 / faults.think_s), 0.25 * turn.deadline_s)
        if trace.happens(faults.drop):
            trace.count(RareEvent.CRASH, self.name)
            self._venue.later(0.0, self._crash)
        if trace.happens(faults.silent):
            trace.count(RareEvent.SILENT, self.name)
            await asyncio.Event().wait()
        if trace.happens(faults.provisional):
            await asyncio.sleep(think_s / 2)
            turn.offer(trace.rng.choice(turn.legal))
        await asyncio.sleep(think_s)
        if trace.happens(faults.resign):
            trace.count(RareEvent.RESIGNED, self.name)
            raise PlayerError("had enough")
        return trace.rng.choice(turn.legal)

    def _crash(self) -> None:
        self.kill()
        self.start_later()

    def game_over(self, result: GameResult) -> None:
        self._trace.tell(self.name, f"hears that {result.game} is over: {result.reason}")
        self.results[result.game] = result

    def check(self, stored: Mapping[str, StoredGame]) -> None:
        for game, told in self.results.items():
            kept = stored.get(game)
            if kept is None or self._facts(kept) != (told.winner, told.stores, told.reason):
                broken(Promise.FINAL, f"{self.name} was told {told}, stored is {kept}")

    def _facts(self, game: StoredGame) -> tuple[int | None, tuple[int, int], Reason]:
        """Return a game as this client sees it: itself as player 0, under a name like its own."""
        seat = int(not game.names[0].startswith(self.name))
        winner = None if game.winner is None else int(game.winner != seat)
        return winner, (game.stores[seat], game.stores[1 - seat]), game.reason


def draw_players(venue: Venue, plan: FaultPlan) -> list[KgpPlayer]:
    rng = random.Random(f"kgp {plan.seed}")
    drawn = rng.choices(KGP_FAULTS, k=rng.choice(NUMBERS))
    return [
        KgpPlayer(venue, f"kgp{number}", plan.tamed(faults), f"203.0.113.{number + 1}")
        for number, faults in enumerate(drawn)
    ]
