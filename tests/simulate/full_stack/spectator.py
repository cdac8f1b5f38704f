"""A spectator of the ladder, which at times asks for much and reads nothing."""

import asyncio
import random
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from mancala.protocol import codec
from mancala.protocol.messages import VERSION, Hello, List, Listable, Message, Watch
from tests.simulate.faults import LADDER
from tests.simulate.full_stack.program import SimulatedProgram, Venue
from tests.simulate.full_stack.server_run import ADDRESS, PORT
from tests.simulate.plan import FaultPlan
from tests.simulate.trace import RareEvent

PLACE: Final = "192.0.2.77"
PRESENT: Final = 0.5
"""The share of worlds that have one."""
DELAY_S: Final = 0.02
DEAF: Final = 0.02
"""Probability that it stops reading, for each message that it reads."""
QUESTIONS: Final = (100, 300, 900)
DEAF_S: Final = (1.0, 20.0)


class SimulatedSpectator(SimulatedProgram):
    """One spectator over all its processes."""

    away_s = 0.1, 3.0
    delay_s = DELAY_S

    def calm_down(self) -> None:
        self.kill()
        self.is_done = True

    async def main(self, stop: asyncio.Event) -> None:  # noqa: ARG002  # it never leaves by itself
        """Watch until the connection is lost."""
        try:
            async with connect(f"ws://{ADDRESS}:{PORT}", ping_interval=None) as connection:
                await self._watch(connection)
        except (OSError, WebSocketException) as error:
            self._trace.tell(self.name, f"it lost its connection: {error!r}")

    async def _watch(self, connection: ClientConnection) -> None:
        await _say(connection, Hello(VERSION, self.name))
        await connection.recv()
        await _say(connection, Watch(ladder=LADDER))
        while True:
            await connection.recv()
            if self._trace.happens(DEAF):
                self._trace.count(RareEvent.DEAF, self.name)
                for _ in range(self._trace.rng.choice(QUESTIONS)):
                    await _say(connection, List(self._trace.rng.choice(tuple(Listable))))
                await asyncio.sleep(self._trace.rng.uniform(*DEAF_S))


async def _say(connection: ClientConnection, message: Message) -> None:
    await connection.send(codec.encode(message).decode())


def draw_spectators(venue: Venue, plan: FaultPlan) -> list[SimulatedSpectator]:
    rng = random.Random(f"spectator {plan.seed}")
    return [SimulatedSpectator(venue, "spectator", PLACE)] if rng.random() < PRESENT else []
