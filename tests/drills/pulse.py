"""``python -m tests.drills.pulse``: a ladder without other bots goes on playing, slowly.

The server runs two house bots. They play until their ratings mean something, and then one match at
each pulse, as long as nothing else goes on. A guest that joins meets them without waiting for it.

How fast the machine is decides nothing: of the matches that end after a look at the store, at most
one began before it, so those watched take at least the pulses between them, less one.
"""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Final, NamedTuple

import typer

from mancala.protocol.messages import VERSION, Hello, Joined, Message
from mancala.server.model.entrant import bot_name
from tests.drills.databases import Database
from tests.drills.hosting import SQLITE_FILES, temporary_host
from tests.drills.members import LADDER, always, games_of, ladder_settings, playing, take_part
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.drills.spell import until

GUEST: Final = "guest"
GAMES_A_MATCH: Final = 2
HURRIED_GAMES: Final = 20
SETTINGS: Final = ladder_settings(
    f"games = {GAMES_A_MATCH}",
    "pulse_s = {pulse_s}",
    'house = {{ one = "random", two = "greedy" }}',
)


class PulsePlan(NamedTuple):
    """The size of the drill."""

    pulse_s: Annotated[float, typer.Option(min=0.5, help="Time between two pulses.")] = 5.0
    pulses: Annotated[int, typer.Option(min=2, help="How many to wait for.")] = 10
    seed: SeedOption = 1


async def drill(plan: PulsePlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Wait beside an idle ladder, and then join it."""
    loop = asyncio.get_running_loop()
    with temporary_host(SETTINGS.format(pulse_s=plan.pulse_s), where) as place:
        async with place.running() as life:
            await until(lambda: _games(place.store) >= HURRIED_GAMES)
            began_at, hurried = loop.time(), _games(place.store)
            watched = GAMES_A_MATCH * (plan.pulses + 1)
            await until(lambda: _games(place.store) >= hurried + watched)
            idle_s = loop.time() - began_at
            when_joined: list[int] = []
            play = playing(LADDER, always)

            def answering(message: Message) -> Iterator[Message]:
                if isinstance(message, Joined):
                    when_joined.append(_games(place.store))
                return play(message)

            guest = asyncio.create_task(
                take_part(life.url, Hello(VERSION, GUEST), LADDER, answering), name=GUEST
            )
            await until(lambda: _games(place.store, GUEST) > 0)
            meanwhile = _games(place.store) - _games(place.store, GUEST) - when_joined[0]
            guest.cancel()
            await asyncio.wait([guest])
    figures = {
        "games_before": hurried,
        "pulses": plan.pulses,
        "idle_s": round(idle_s, 2),
        "house_games_before_the_guest_played": meanwhile,
    }
    promises = {
        "house bots stop playing at full speed": idle_s >= plan.pulse_s * (plan.pulses - 1),
        "a guest does not wait for a pulse": meanwhile <= GAMES_A_MATCH,
    }
    return DrillReport("pulse", plan.seed, figures, promises)


def _games(store: str, name: str = "") -> int:
    return sum(
        games
        for pair, games in games_of(store).items()
        if not name or any(bot_name(entrant) == name for entrant in pair)
    )


if __name__ == "__main__":
    command_line(drill)
