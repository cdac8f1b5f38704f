"""Who may enter an event, and from which round on; pure."""

import hmac
from collections import Counter
from collections.abc import Callable, Mapping
from operator import ge, le
from typing import Any, Final, NamedTuple

from mancala.protocol.text import quantity

from ...config.events import RATED_CONDITIONS, UNSET, EventSettings, Format
from ...model.contests import EntrantRow
from ...model.schemas.views import View
from ...net.limits.costs import IPV6_LAYERS, layers_of
from ..events.entry import Entrants, EntryError, NotOpenError, checked_in, entered, withdrawn
from ..events.lifecycle import EventState, Phase
from ..events.pairings import Regulations
from .state import problem_of_size


class Candidate(NamedTuple):
    """A bot that says that it enters.

    Attributes:
        owner: what it counts under: its address.
        rating: its rating in the ladder that the event asks about; None without games there.
    """

    name: str
    has_token: bool
    owner: str
    password: str = ""
    rating: float | None = None
    games: int = 0


class EntryCondition(NamedTuple):
    """What a setting may ask of a bot that enters by itself.

    Attributes:
        words: what it has to have, in words of a value and a ladder.
    """

    words: str
    is_met: Callable[[Any, Candidate], bool]
    found: Callable[[Candidate], object]


class EventCondition(View, frozen=True):
    """What a bot needs to enter an event by itself.

    Attributes:
        name: the setting that asks for it, such as ``min_rating``.
        value: the setting's value: a number, or names; empty for a password.
        ladder: the ladder that ratings and games are of, or None.
        words: the whole in words.
    """

    name: str
    value: str
    ladder: str | None
    words: str


def is_password(wanted: str, given: str) -> bool:
    """Return whether a word is an event's password, in a time that says nothing of it."""
    return hmac.compare_digest(wanted.encode(), given.encode())


def _of_rating(words: str, is_met: Callable[[float, float], bool]) -> EntryCondition:
    return EntryCondition(
        f"a rating of {{value}} or {words} in {{ladder}}",
        lambda wanted, it: it.rating is not None and is_met(it.rating, wanted),
        lambda it: "none" if it.rating is None else f"{it.rating:.0f}",
    )


CONDITIONS: Final[Mapping[str, EntryCondition]] = {
    "password": EntryCondition(
        "the event's password",
        lambda wanted, it: is_password(wanted, it.password),
        lambda it: "another" if it.password else "none",
    ),
    "team": EntryCondition(
        "a place in the team {value}", lambda wanted, it: it.name in wanted, lambda _it: "none"
    ),
    "min_rating": _of_rating("more", ge),
    "max_rating": _of_rating("less", le),
    "min_games": EntryCondition(
        "{games} or more in {ladder}", lambda wanted, it: it.games >= wanted, lambda it: it.games
    ),
}
"""What each of the settings `CONDITIONS` asks for."""


def conditions_of(settings: EventSettings) -> tuple[EventCondition, ...]:
    """Return what an event asks of bots that enter by themselves."""
    found: list[EventCondition] = []
    for name, condition in CONDITIONS.items():
        if (wanted := getattr(settings, name)) in UNSET:
            continue
        value = "" if name == "password" else _in_words(wanted)
        ladder = settings.ratings_of if name in RATED_CONDITIONS else None
        games = quantity(wanted, "game") if name == "min_games" else ""
        words = condition.words.format(value=value, ladder=ladder, games=games)
        found.append(EventCondition(name=name, value=value, ladder=ladder, words=words))
    return tuple(found)


def _in_words(value: float | tuple[str, ...]) -> str:
    return ", ".join(value) if isinstance(value, tuple) else f"{value:g}"


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
    """Return the entrants with a candidate, checked in if the event checks in."""
    name = candidate.name
    if not is_entrant(entrants, name):
        if not phase.is_over:
            _check(entrants, phase, candidate, settings)
            entrants = _with_room(entrants, phase, candidate, settings, regulations)
        entrants = entered(
            *(entrants, phase, name),
            format_=Format(settings.format),
            late_until=_late_until(settings, regulations),
            owner="" if name in settings.entrants else candidate.owner,
        )
    if phase.state is EventState.CHECK_IN:
        entrants = checked_in(entrants, phase, name)
    return entrants


def _late_until(settings: EventSettings, regulations: Regulations) -> int:
    """Return the last round that a late entrant may join in; 0 if none may."""
    is_arena = regulations.format is Format.ARENA
    return regulations.rounds if is_arena else min(settings.late_until, regulations.rounds)


def _check(entrants: Entrants, phase: Phase, candidate: Candidate, settings: EventSettings) -> None:
    if candidate.name in settings.entrants:
        return
    if settings.enter == "list":
        raise EntryError("only the bots on the organiser's list play")
    if settings.enter == "tokens" and not candidate.has_token:
        raise EntryError("only bots with a token may enter")
    for asked in conditions_of(settings):
        condition = CONDITIONS[asked.name]
        if not condition.is_met(getattr(settings, asked.name), candidate):
            found = condition.found(candidate)
            raise EntryError(
                f"only bots with {asked.words} may enter; {candidate.name} has {found}"
            )
    if EventState.DRAFT in {phase.state, phase.resumes}:
        when = f"; entries open at {settings.opens}" if settings.opens is not None else ""
        raise NotOpenError(f"the event is not open yet{when}")
    if settings.per_owner is None or not candidate.owner:
        return
    theirs = sum(each.owner == candidate.owner and not each.has_withdrawn for each in entrants)
    if theirs >= settings.per_owner:
        raise EntryError(f"from one address, {settings.per_owner} may enter, and have")


def _with_room(
    entrants: Entrants,
    phase: Phase,
    candidate: Candidate,
    settings: EventSettings,
    regulations: Regulations,
) -> Entrants:
    """Return the entrants, without one if all places are taken and the candidate gets its place."""
    if not candidate.owner or candidate.name in settings.entrants:
        return entrants
    lent = [each for each in entrants if each.owner and not each.has_withdrawn]
    more = (*entrants, EntrantRow.entering(candidate.name))
    begun = phase.has_begun
    problem = regulations.problem_of_size(more) if begun else problem_of_size(settings, more)
    if len(lent) < settings.places and problem is None:
        return entrants
    yielding = None if begun else _yielding(lent, candidate.owner)
    if yielding is None:
        most = min(len(lent), settings.places)
        raise EntryError(f"all {quantity(most, 'place is', 'places are')} taken")
    return withdrawn(entrants, phase, yielding.name)


def _yielding(lent: list[EntrantRow], owner: str) -> EntrantRow | None:
    """Return the latest entrant of the owner that would keep as many places as the other gets.

    Owners are addresses, and the networks in which an IPv6 network lies, of which one costs no
    more than an address; the largest come first. Smaller ones compete within their larger one only.
    """
    rivals = lent
    for size in range(len(IPV6_LAYERS), 0, -1):
        held = Counter(_network(each.owner, size) for each in rivals)
        greediest = max(held, key=held.__getitem__, default="")
        if held[greediest] - 1 >= held[_network(owner, size)] + 1:
            its = [each for each in rivals if _network(each.owner, size) == greediest]
            owned = Counter(each.owner for each in its)
            return max(reversed(its), key=lambda it: owned[it.owner])
        rivals = [it for it in rivals if _network(it.owner, size) == _network(owner, size)]
    return None


def _network(owner: str, size: int) -> str:
    """Return an owner, or the N-th smallest network around it if it is one of IPv6."""
    return layers_of(owner.partition("/")[0])[-size] if ":" in owner else owner
