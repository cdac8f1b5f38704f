"""Who may enter an event, and from which round on; pure."""

from __future__ import annotations

from typing import NamedTuple

from mancala.server.config.events import EventSettings
from mancala.server.events.entry import Entrants, EntryError, checked_in, entered
from mancala.server.events.lifecycle import EventState, Phase
from mancala.server.events.pairings import Regulations
from mancala.server.events.plan import Format


class Candidate(NamedTuple):
    """A bot that says that it enters.

    Attributes:
        name: the bot.
        has_token: whether it came with a token.
        owner: what it counts under: its address.
    """

    name: str
    has_token: bool
    owner: str


def is_entrant(entrants: Entrants, name: str) -> bool:
    """Return whether a bot is an entrant, and has not withdrawn."""
    return any(each.name == name and not each.has_withdrawn for each in entrants)


def admitted(
    entrants: Entrants,
    phase: Phase,
    candidate: Candidate,
    settings: EventSettings,
    regulations: Regulations,
) -> Entrants:
    """Return the entrants with a candidate, checked in if the event checks in.

    Args:
        entrants: the entrants so far; the candidate may be one of them.
        phase: where the event stands.
        candidate: who enters.
        settings: the event's settings.
        regulations: what decides its pairings.

    Raises:
        EntryError: when it may not enter, or not now.
    """
    name = candidate.name
    if not is_entrant(entrants, name):
        if not phase.is_over:
            _check(entrants, phase, candidate, settings)
        entrants = entered(
            *(entrants, phase, name),
            format_=Format(settings.format),
            late_until=min(settings.late_until, regulations.rounds),
            owner="" if name in settings.entrants else candidate.owner,
        )
    if phase.state is EventState.CHECK_IN:
        entrants = checked_in(entrants, phase, name)
    return entrants


def _check(entrants: Entrants, phase: Phase, candidate: Candidate, settings: EventSettings) -> None:
    """Refuse a bot that the settings do not let in, or not yet."""
    if candidate.name in settings.entrants:
        return
    if settings.enter == "list":
        raise EntryError("only the bots on the organiser's list play")
    if settings.enter == "tokens" and not candidate.has_token:
        raise EntryError("only bots with a token may enter")
    if EventState.DRAFT in {phase.state, phase.resumes}:
        when = f"; entries open at {settings.opens}" if settings.opens is not None else ""
        raise EntryError(f"the event is not open yet{when}")
    if settings.per_owner is None or not candidate.owner:
        return
    theirs = sum(each.owner == candidate.owner and not each.has_withdrawn for each in entrants)
    if theirs >= settings.per_owner:
        raise EntryError(f"from one address, {settings.per_owner} may enter, and have")
