"""Who is rated in a ladder: not a bot, but one version of it."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from mancala.protocol.messages import Agent

CENTRE: Final = 1500.0
"""The rating of an entrant that has not played."""
MOST_DEVIATION: Final = 350.0
"""The deviation of an entrant that has not played, and the upper bound of any."""


@dataclass(frozen=True, slots=True)
class LiveRating:
    """An entrant's rating as it stands; ``deviation`` is its standard error, in Elo."""

    elo: float = CENTRE
    deviation: float = MOST_DEVIATION
    volatility: float = 0.02


NEWCOMER: Final = LiveRating()


class Quarantine(NamedTuple):
    """Why an entrant may not play, and until when."""

    until: str
    reason: str

    def lasts_until(self) -> str:
        """Return when it ends, RFC 3339."""
        return self.until


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version of a bot in a ladder.

    Attributes:
        penalties: points charged for forfeits so far; see ``ladders/state.py``.
    """

    name: str
    live: LiveRating = NEWCOMER
    penalties: int = 0
    quarantine: Quarantine | None = None


def entrant_name(bot: str, agent: Agent | None) -> str:
    """Return the name of a bot's version: ``bot@version``, or ``bot`` when it states no version.

    An ``@`` in the bot's own name is written ``%40``, which no bot's name can hold, so that no bot
    can pass for a version of another.
    """
    stem = bot.replace("@", "%40")
    return f"{stem}@{agent.version}" if agent is not None and agent.version else stem


def renamed(entrant: str, old: str, new: str) -> str:
    """Return an entrant; if it is a version of the bot ``old``, the same version of ``new``."""
    if bot_name(entrant) != old:
        return entrant
    _stem, mark, version = entrant.partition("@")
    return f"{entrant_name(new, None)}{mark}{version}"


def bot_name(entrant: str) -> str:
    """Return the name of the bot that an entrant is a version of."""
    return entrant.partition("@")[0].replace("%40", "@")
