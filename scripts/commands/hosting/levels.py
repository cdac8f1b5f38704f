"""``mancala levels``: the ten levels of the engine as bots that wait for challenges.

The server starts it for people who play in the browser. One process holds all ten, since compiled
code and tables are the same for each; they think in threads of their own.
"""

from typing import Annotated, Final

import typer

from ...console import output as console

PLAYERS: Final = (
    *(f"engine:level={level}" for level in range(1, 10)),
    "engine:movetime=1",  # a person is not to wait longer
)
PACE_S: Final = 1.5
"""Time that a level takes for a move against another one, if the clock allows: people look on."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("levels", hidden=True)(_command)


def _command(
    url: Annotated[str, typer.Argument(metavar="URL", help="The server's address.")],
    *,
    challenges: Annotated[
        int, typer.Option(min=0, help="Accept challenges up to N matches at a time, each.")
    ] = 4,
) -> None:
    """Connect the engine's ten levels, which wait for challenges."""
    import asyncio

    from mancala.bot.client.errors import ClientError

    from ...console.compiling import compile_engine_for

    compile_engine_for("engine")
    try:
        asyncio.run(_play(url, challenges))
    except* ClientError as errors:
        console.fail(errors.exceptions[0], code=console.FAILED)


async def _play(url: str, challenges: int) -> None:
    import asyncio
    import signal
    from importlib.metadata import version

    from mancala.bot.client.run import run
    from mancala.bot.players.host import PacedBot
    from mancala.bot.players.registry import make_bot
    from mancala.protocol.messages import Agent
    from mancala.server.config.settings import LEVEL_NAMES

    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    agent = Agent("engine", version("mancala-arena"))
    async with asyncio.TaskGroup() as tasks:
        for name, player in zip(LEVEL_NAMES, PLAYERS, strict=True):
            playing = run(
                *(url, PacedBot(make_bot(player), LEVEL_NAMES, PACE_S)),
                name=name,
                seek=None,
                challenges=challenges,
                agent=agent,
                stop=stop,
            )
            tasks.create_task(playing, name=name)
