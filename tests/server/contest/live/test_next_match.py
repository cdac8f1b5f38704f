"""What an entrant of an event plays next, and what it waits for."""

from typing import Any

import pytest

from mancala.protocol.messages import MatchOrigin, NextMatch
from mancala.server.config.events import EventSettings
from mancala.server.contest.events.lifecycle import EventState, Phase
from mancala.server.contest.events.pairings import pair
from mancala.server.contest.live.next_match import EntrantPresence, next_match
from mancala.server.contest.live.state import ContestState, prepared, regulations_of
from mancala.server.model.contests import EventGameRow

NAMES = ("ann", "bob", "cid", "dan")


def event(**options: Any) -> EventSettings:  # noqa: ANN401  # any setting
    usual: dict[str, Any] = {
        "name": "final",
        "format": "swiss",
        "rounds": 2,
        "games": 2,
        "entrants": NAMES,
    }
    return EventSettings(**(usual | options))


def playing(settings: EventSettings, state: EventState = EventState.PLAYING) -> ContestState:
    found = prepared(settings)
    found.regulations = regulations_of(settings, found.entrants)
    paired = pair(found.regulations.terms(found.entrants), {}, 1)
    assert paired is not None
    assert paired.round.encounters[0] == ("ann", "cid")
    found.rounds.append(paired)
    found.phase = Phase(state, 1)
    return found


def presence(
    *away: str, busy: tuple[str, ...] = (), at_play: tuple[int, ...] = ()
) -> EntrantPresence:
    """Return who is connected, free and playing: all but these."""
    return EntrantPresence(
        lambda name: name not in away, lambda name: name not in busy, lambda place: place in at_play
    )


def waits_for(state: ContestState, there: EntrantPresence, settings: EventSettings) -> str | None:
    """Return what ann waits for; None when no match of hers is to come."""
    found = next_match("ann", settings, state, there)
    return None if found is None else found.waits_for


def test_before_the_start_an_entrant_waits_for_it() -> None:
    """With its time, in UTC, if the settings have one."""
    settings = event(starts="2026-12-01T20:00:00+01:00")
    found = next_match("ann", settings, prepared(settings), presence())
    at = "2026-12-01T19:00:00.000+00:00"
    why = "the event to begin"
    assert found == NextMatch(MatchOrigin.EVENT, "final", round=1, at=at, waits_for=why)


@pytest.mark.parametrize(
    ("there", "why"),
    [
        (presence("cid"), "cid to connect"),
        (presence(busy=("cid",)), "another match of cid to end"),
        (presence(), "a free board"),
        (presence(at_play=(0,)), None),
    ],
)
def test_in_a_round_the_opponent_is_named(there: EntrantPresence, why: str | None) -> None:
    """And what both wait for; a match under way is no match to come."""
    settings = event()
    found = next_match("ann", settings, playing(settings), there)
    if why is None:
        assert found is None
    else:
        assert found == NextMatch(MatchOrigin.EVENT, "final", "cid", 2, 1, waits_for=why)


def test_who_has_played_waits_for_the_next_round_if_there_is_one() -> None:
    """A knockout's next round is for those who are not out."""
    for options, why in (
        ({}, "round 1 to end"),
        ({"rounds": 1}, None),
        ({"format": "knockout", "rounds": 0}, "round 1 to end, if it is not out then"),
        ({"format": "arena", "duration_s": 9.0}, "round 1 to end, if the arena is not over then"),
    ):
        settings = event(**options)
        state = playing(settings) if "format" not in options else _bracket(settings)
        for number in (0, 1):
            first, second = state.seats(0, number)
            state.rows[number] = EventGameRow(number, first, second, 0, 6, "normal", "g", 0)
        name = state.encounter(0).first
        found = next_match(name, settings, state, presence())
        assert (None if found is None else found.waits_for) == why


def _bracket(settings: EventSettings) -> ContestState:
    state = prepared(settings)
    paired = pair(state.regulations.terms(state.entrants), {}, 1)
    assert paired is not None
    state.rounds.append(paired)
    state.phase = Phase(EventState.PLAYING, 1)
    return state


def test_between_rounds_and_in_a_pause_it_says_so() -> None:
    """An event that is over, and a bot that is no entrant, have no next match."""
    settings = event()
    for stands, why in (
        (EventState.CLOSED, "round 2 to be paired"),
        (EventState.PAIRING, "round 1 to be paired"),
        (EventState.PAUSED, "the organiser to resume the event"),
        (EventState.FINISHED, None),
    ):
        assert waits_for(playing(settings, stands), presence(), settings) == why
    assert next_match("eve", settings, playing(settings), presence()) is None


def test_an_entrant_with_a_bye_waits_for_the_round_after_it() -> None:
    """Or for none, if its bye is in the last one."""
    for rounds, found in ((3, 3), (2, None)):
        settings = event(rounds=rounds)
        state = playing(settings, EventState.CLOSED)
        state.entrants = (state.entrants[0]._replace(byes="2"), *state.entrants[1:])
        coming = next_match("ann", settings, state, presence())
        assert (coming and coming.round) == found
