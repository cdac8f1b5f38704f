"""Whether the players of the house can be made here, before a server starts them."""

from __future__ import annotations

from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mancala.server.config.settings import Config

UNKNOWN: Final = "ladder.house: the check of its players ended"


def check_house(config: Config) -> None:
    """Check the player of each house bot, and what levels and reviewers need."""
    from mancala.bot.players.registry import PLAYERS, check_spec
    from mancala.server.config.settings import ConfigError

    for key, is_wanted in (
        ("play.levels", config.play.levels),
        ("reviewers.house", config.reviewers.house > 0),
    ):
        if is_wanted and (missing := PLAYERS["engine"].missing):
            raise ConfigError(f"{key}: the player 'engine' is not installed: {missing}")
    for place, ladder in enumerate(config.ladder):
        for name, player in ladder.house.items():
            try:
                check_spec(player)
            except ValueError as error:
                raise ConfigError(f"ladder[{place}].house.{name}: {error}") from None


def check_house_apart(config: Config) -> None:
    """Check as `check_house` in a child, so that the compiler is not loaded into this process."""
    from mancala.server.config.settings import ConfigError

    if not any(ladder.house for ladder in config.ladder):
        check_house(config)
        return
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_report, args=(config, there), name="house check")
    child.start()
    there.close()
    try:
        problem = here.recv()
    except EOFError:
        problem = UNKNOWN
    child.join()
    if problem is not None:
        raise ConfigError(problem)


def _report(config: Config, there: Connection) -> None:
    """Send the problem of the house, or None."""
    from mancala.server.config.settings import ConfigError

    try:
        check_house(config)
    except ConfigError as error:
        there.send(str(error))
    else:
        there.send(None)
