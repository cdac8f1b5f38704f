"""What an entrant of an event plays next, and what it waits for; pure."""

from collections.abc import Callable
from typing import NamedTuple

from mancala.protocol.messages import MatchOrigin, NextMatch

from ...config.events import EventSettings, Format
from ...model.timestamps import in_utc
from ..events.lifecycle import EventState
from ..events.terms import BRACKETS
from .admission import is_entrant
from .state import ContestState


class EntrantPresence(NamedTuple):
    """Whether a bot is connected, whether it may play now, and whether an encounter is played."""

    is_here: Callable[[str], bool]
    is_free: Callable[[str], bool]
    is_playing: Callable[[int], bool]


def next_match(
    name: str, settings: EventSettings, state: ContestState, presence: EntrantPresence
) -> NextMatch | None:
    if state.phase.is_over or not is_entrant(state.entrants, name):
        return None
    event = settings.name
    match state.phase.state:
        case EventState.PAUSED:
            return _in_round(event, state.phase.round or 1, "the organiser to resume the event")
        case EventState.PLAYING:
            return _of_round(event, name, state, presence)
        case EventState.PAIRING | EventState.CLOSED:
            number = state.phase.round + (state.phase.state is EventState.CLOSED)
            at = state.next_round_at(settings.interval_s)
            return _after(event, name, state, number, f"round {number} to be paired", at)
        case _:
            at = None if settings.starts is None else in_utc(settings.starts)
            joins = next(each.joins for each in state.entrants if each.name == name)
            return _in_round(event, joins, "the event to begin", at)


def _of_round(
    event: str, name: str, state: ContestState, presence: EntrantPresence
) -> NextMatch | None:
    """Return an entrant's match of the present round; of the next one if it has played it."""
    number = state.phase.round
    for place, games in state.missing.items():
        encounter = state.encounter(place)
        if name in encounter:
            (opponent,) = (each for each in encounter if each != name)
            if presence.is_playing(place):
                return None
            why = _reason(name, opponent, presence)
            return NextMatch(
                *(MatchOrigin.EVENT, event, opponent, len(games), number), waits_for=why
            )
    return _after(event, name, state, number + 1, f"round {number} to end")


def _reason(name: str, opponent: str, presence: EntrantPresence) -> str:
    for each in (name, opponent):
        if not presence.is_here(each):
            return f"{each} to connect"
    for each in (name, opponent):
        if not presence.is_free(each):
            return f"another match of {each} to end"
    return "a free board"


def _after(
    event: str, name: str, state: ContestState, number: int, why: str, at: str | None = None
) -> NextMatch | None:
    while name in state.half_byes(number):
        number += 1
    if state.regulations.format in BRACKETS:
        return _in_round(event, number, f"{why}, if it is not out then", at)
    if state.regulations.format is Format.ARENA:
        return _in_round(event, number, f"{why}, if the arena is not over then", at)
    return _in_round(event, number, why, at) if number <= state.all_rounds else None


def _in_round(event: str, number: int, why: str, at: str | None = None) -> NextMatch:
    return NextMatch(MatchOrigin.EVENT, event, round=number, at=at, waits_for=why)
