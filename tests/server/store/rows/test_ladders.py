"""What the store keeps of ladders."""

import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Agent
from mancala.protocol.results import LadderStandings
from mancala.protocol.rules import KALAH, Board
from mancala.server.model import journal
from mancala.server.model.entrant import Entrant, LiveRating, Quarantine
from mancala.server.model.game import Tally
from mancala.server.model.match import LadderContext, Terms
from mancala.server.model.pair_counts import PairCounts
from mancala.server.store import Store
from mancala.server.store.rows.ladders import kept_ladders
from mancala.server.store.rows.matches import unfinished
from mancala.server.store.rows.tokens import former_sessions, issue
from tests.server.store.databases import committed

pytestmark = pytest.mark.usefixtures("database")

UTC = "2026-11-21T12:00:00.000+00:00"
ANN = Entrant("ann@1", LiveRating(1612.5, 81.25, 0.02), penalties=2)
BOB = Entrant("bob", LiveRating(1388.5, 79.5, 0.02), quarantine=Quarantine(UTC, "crashed"))


def standings(event: str, topic: str = "ladders/main/standings") -> journal.Announced:
    payload = LadderStandings(event, 0, "test", "main", UTC, ())
    return journal.Announced(journal.Announcement(topic, event, payload, is_retained=True))


async def test_a_ladder_comes_back_as_it_was(store: Store) -> None:
    """Numbers, penalties, quarantine, outcomes and members, each ladder by itself."""
    token = await store.run(issue, "ann", UTC)
    await committed(
        store,
        journal.SessionOpened("a", "ann", Agent("engine", "1"), token),
        journal.SessionOpened("b", "bob", None),
        journal.LadderJoined("main", "a"),
        journal.LadderJoined("main", "b"),
        journal.LadderJoined("blitz", "b"),
        journal.EntrantRated("main", Entrant("ann@1")),
        journal.EntrantRated("main", ANN),
        journal.EntrantRated("main", BOB),
        journal.SeatsTallied("main", ("ann@1", "bob"), Tally(wins=1)),
        journal.PairsCounted("main", ("ann@1", "bob"), PairCounts((0, 0, 1, 0, 0))),
        journal.PairsCounted("main", ("ann@1", "bob"), PairCounts((0, 0, 1, 0, 2))),
        journal.SeatsTallied("main", ("ann@1", "bob"), Tally(wins=1, draws=1)),
    )
    assert await store.run(kept_ladders) == {
        "main": journal.KeptLadder(
            (ANN, BOB),
            {("ann@1", "bob"): Tally(wins=1, draws=1)},
            ("ann", "bob"),
            pairs={("ann@1", "bob"): PairCounts((0, 0, 1, 0, 2))},
        ),
        "blitz": journal.KeptLadder((), {}, ("bob",)),
    }
    sessions = await store.run(former_sessions)
    assert {session.name: session.is_guest for session in sessions} == {"ann": False, "bob": True}


async def test_a_ladder_knows_who_met_whom_last(store: Store) -> None:
    """Each member's latest match in the ladder, whichever the seat; others' don't matter."""
    terms = Terms(KALAH, TimeControl(), rated=True, games=2)
    opened = [journal.SessionOpened(name, name, None) for name in ("ann", "bob", "cy", "dan")]
    joined = [journal.LadderJoined("main", name) for name in ("ann", "bob", "cy")]
    pairs = (("ann", "bob"), ("cy", "ann"), ("dan", "bob"), ("bob", "cy"))
    played = [
        journal.MatchOpened(
            f"m{minute}", names, terms, f"2026-11-21T12:0{minute}:00.000+00:00", ladder_context
        )
        for minute, names in enumerate(pairs)
        for ladder_context in [LadderContext("blitz" if "dan" in names else "main", names, ())]
    ]
    elsewhere = journal.MatchOpened("m9", ("ann", "bob"), terms, "2026-11-21T12:09:00.000+00:00")
    await committed(store, *opened, *joined, *played, elsewhere)
    assert (await store.run(kept_ladders))["main"].met == {"ann": "cy", "bob": "cy", "cy": "bob"}


async def test_opponents_are_kept_for_members_alone(store: Store) -> None:
    """Not for those that left, nor for what a member plays in a ladder without being in it."""
    terms = Terms(KALAH, TimeControl(), rated=True, games=2)
    joined = [
        journal.LadderJoined("main", "ann"),
        journal.LadderJoined("blitz", "dan"),
        journal.LadderJoined("rapid", "dan"),
    ]
    played = [
        journal.MatchOpened(
            ladder + "".join(names), names, terms, UTC, LadderContext(ladder, names, ())
        )
        for ladder, names in (
            ("main", ("abe", "zoe")),
            ("main", ("ann", "abe")),
            ("blitz", ("ann", "dan")),
            ("rapid", ("dan", "ann")),
        )
    ]
    opened = [journal.SessionOpened(name, name, None) for name in ("abe", "ann", "dan", "zoe")]
    await committed(store, *opened, *joined, *played)
    met = {name: ladder.met for name, ladder in (await store.run(kept_ladders)).items()}
    assert met == {"main": {"ann": "abe"}, "blitz": {"dan": "ann"}, "rapid": {"dan": "ann"}}


async def test_membership_ends_with_a_leave_or_with_the_session(store: Store) -> None:
    """Who left, or whose session is over, is no member after a restart."""
    opened = [journal.SessionOpened(name, name, None) for name in ("ann", "bob", "cy")]
    joined = [journal.LadderJoined("main", session.name) for session in opened]
    await committed(
        store, *opened, *joined, journal.LadderLeft("main", "ann"), journal.SessionClosed("bob")
    )
    assert (await store.run(kept_ladders))["main"].members == ("cy",)


async def test_a_table_takes_the_place_of_the_one_before(store: Store) -> None:
    """However long the broker is away, only the last table of each ladder waits for it."""
    await committed(store, standings("one"), standings("other", "ladders/blitz/standings"))
    await committed(store, standings("two"))
    await committed(store, standings("three"))
    rows = await store.unpublished(10)
    assert [(row.seq, row.is_retained) for row in rows] == [(2, True), (4, True)]
    assert '"three"' in rows[1].payload


async def test_a_ladders_match_comes_back_with_its_occasion(store: Store) -> None:
    """The ladder, the entrants and the openings outlive the server."""
    openings = tuple(
        Board.from_text(text)
        for text in ("<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>", "<6,0,0,4,0,5,5,5,5,4,4,4,4,4,4>")
    )
    ladder_context = LadderContext("main", ("ann@1", "bob"), openings)
    terms = Terms(KALAH, TimeControl(), rated=True, games=4)
    await committed(store, journal.MatchOpened("m", ("ann", "bob"), terms, UTC, ladder_context))
    (kept,) = await store.run(unfinished)
    assert kept.match.ladder_context == ladder_context
    assert kept.match.ladder == "main"
