"""A bot as a program: play, and say in one sentence what stopped it."""

from __future__ import annotations

import asyncio
import sys
import traceback
from typing import Any, Final

from .bot import Bot, Choose, GameResult
from .errors import ClientError, WrongCallError
from .run import run

DEBUG: Final = "--debug"
INTERRUPTED: Final = 130


def play(url: str, player: Bot | Choose, *, name: str, **options: Any) -> list[GameResult]:  # noqa: ANN401  # those of `run`
    """Play on a match server until a number of games is finished, and return them.

    It is `run` for a program that does nothing else. What stops the bot is one sentence on stderr;
    the program's argument ``--debug`` has the traceback come before it.

    Args:
        url: the server's address.
        player: a function from a turn to a pit, or a `Bot`.
        name: the bot's name on the server.
        options: the further options of `run`.

    Raises:
        SystemExit: with code 1 when the bot cannot go on.
    """
    try:
        _expect_no_loop()
        return asyncio.run(run(url, player, name=name, **options))
    except ClientError as error:
        if DEBUG in sys.argv:
            traceback.print_exc()
        sys.exit(f"{name}: {error}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _expect_no_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WrongCallError(
        "an event loop runs here already, as in a notebook: write 'await run(…)' for 'play(…)'"
    )
