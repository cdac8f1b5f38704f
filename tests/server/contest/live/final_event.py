"""What tests ask of the event ``final`` of a server."""

from functools import partial

from mancala.server.contest.events.lifecycle import EventStep
from mancala.server.contest.live.contest import Contest
from mancala.server.model.contests import (
    EntrantRow,
    EventEntrantsChanged,
    EventGameCounted,
    EventPaired,
    EventStepped,
    KeptEvent,
)
from mancala.server.model.journal import Entry
from tests.server.fakes import Harness


def contest_of(harness: Harness) -> Contest:
    contest = harness.sessions.contests.get("final")
    assert contest is not None
    return contest


def order(harness: Harness, contest: Contest, entries: list[Entry]) -> None:
    harness.journal.commit(entries, partial(contest.ordered, entries), contest.stop)


def take(harness: Harness, step: EventStep) -> None:
    contest = contest_of(harness)
    order(harness, contest, contest.stepped(step, "root"))


def kept(harness: Harness) -> KeptEvent:
    entries = harness.journal.entries
    steps = [each for each in entries if isinstance(each, EventStepped)]
    last = steps[-1]
    entrants: list[EntrantRow] = []
    for each in entries:
        if isinstance(each, EventEntrantsChanged):
            entrants[each.first :] = each.entrants
    paired = [each for each in entries if isinstance(each, EventPaired)]
    games = {each.row.number: each.row for each in entries if isinstance(each, EventGameCounted)}
    return KeptEvent(
        *(last.state, last.round, last.resumes, last.regulations),
        tuple(entrants),
        tuple(pairing for each in paired for pairing in each.pairings),
        tuple(games.values()),
        closed=next((each.at for each in reversed(steps) if each.step == "close"), None),
        revealed=sum(each.step == "reveal" for each in steps),
    )
