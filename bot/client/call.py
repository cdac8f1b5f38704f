"""Check what `run` and `play` are called with, before anything is connected."""

from __future__ import annotations

import asyncio
import inspect
import re
from typing import Final
from urllib.parse import urlsplit

from .bot import Bot
from .dialling import SCHEMES
from .errors import WrongCallError

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@+-]{0,47}")
"""The names that a server takes, as `mancala.protocol.messages` has them."""


def check_call(url: str, player: object, name: str, games: int | None) -> None:
    """Check the arguments of `run`.

    Raises:
        WrongCallError: when one of them can't be used.
    """
    if urlsplit(url).scheme not in SCHEMES:
        raise WrongCallError(
            f"{url!r} is not the address of a match server; it begins with ws:// or wss://"
        )
    if inspect.isclass(player):
        raise WrongCallError(f"the player is a class: hand over an object, {player.__name__}()")
    if not isinstance(player, Bot) and not callable(player):
        raise WrongCallError(
            f"the player is {player!r}: hand over the function itself, choose and not choose(…)"
        )
    if not NAME.fullmatch(name):
        raise WrongCallError(f"{name!r} cannot be a name: use at most 48 letters, digits and _.@+-")
    if games is not None and games < 1:
        raise WrongCallError(f"games is {games}: name 1 or more, or leave it out to stay")


def expect_no_loop() -> None:
    """Check that no event loop runs in this thread, which `play` would start another in.

    Raises:
        WrongCallError: when one runs.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise WrongCallError(
        "an event loop runs here already, as in a notebook: write 'await run(…)' for 'play(…)'"
    )
