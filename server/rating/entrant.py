"""Who is rated in a ladder: not a bot, but one version of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from protocol.messages import Agent
from server.rating.glicko import Live

NEWCOMER: Final = Live()


class Quarantine(NamedTuple):
    """Why an entrant may not play, and until when.

    Attributes:
        until: RFC 3339 in UTC.
        reason: one sentence for its owner.
    """

    until: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version of a bot in a ladder.

    Attributes:
        name: as :func:`entrant_name` gives it.
        live: its number now.
        strikes: what forfeits have cost it so far; see ``books``.
        quarantine: why it may not play, or None.
    """

    name: str
    live: Live = NEWCOMER
    strikes: int = 0
    quarantine: Quarantine | None = None


def entrant_name(bot: str, agent: Agent | None) -> str:
    """Name a version of a bot: ``bot@version``, or ``bot`` when it tells no version.

    An ``@`` in the bot's own name is written ``%40``, which no bot's name can hold, so that no bot
    can pass for a version of another.
    """
    stem = bot.replace("@", "%40")
    return f"{stem}@{agent.version}" if agent is not None and agent.version else stem


def bot_name(entrant: str) -> str:
    """Tell whose version it is."""
    return entrant.partition("@")[0].replace("%40", "@")
