"""An entry changes what it concerns, and nothing beside it in the alphabet."""

from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, get_args

import pytest
from sqlalchemy import Table, select

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.results import Topics
from mancala.protocol.rules import Rules
from mancala.server import model
from mancala.server.model import journal
from mancala.server.model.entrant import Entrant, LiveRating
from mancala.server.model.events import EventFactory
from mancala.server.model.game import Standing, Tally
from mancala.server.model.pair_counts import PairCounts
from mancala.server.store.database.database import connect
from mancala.server.store.database.schema import (
    entrants,
    games,
    matches,
    members,
    outbox,
    pairs,
    sessions,
)
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import WRITERS, name_of, write_all
from mancala.server.store.rows.matches import text_of
from tests.server.store.databases import place_of
from tests.server.store.test_store import TERMS, UTC, announcement

pytestmark = pytest.mark.usefixtures("database")

LATER = "2026-11-22T12:00:00.000+00:00"
LADDERS = ("blitz", "main", "rapid")
SEATS = (
    ("abe", "ann"),
    ("abe", "zoe"),
    ("ann", "bob"),
    ("ann", "zoe"),
    ("cid", "bob"),
    ("cid", "zoe"),
)


def rows(transaction: Transaction, table: Table, *columns: str) -> set[tuple[Any, ...]]:
    transaction.flush()
    return {tuple(row) for row in transaction.execute(select(*(table.c[name] for name in columns)))}


def test_a_rating_replaces_that_of_its_name_in_its_ladder(transaction: Transaction) -> None:
    """Others keep theirs."""
    names = ("abe", "ann", "zoe")
    rated = [
        journal.EntrantRated(ladder, Entrant(name, LiveRating(1000.0, 80.0, 0.06)))
        for ladder in LADDERS
        for name in names
    ]
    again = journal.EntrantRated(
        "main", Entrant("ann", LiveRating(1200.0, 70.0, 0.06), penalties=2)
    )
    write_all([*rated, again], transaction)
    assert rows(transaction, entrants, "ladder", "name", "elo", "strikes") == {
        (ladder, name, 1200.0, 2)
        if (ladder, name) == ("main", "ann")
        else (ladder, name, 1000.0, 0)
        for ladder in LADDERS
        for name in names
    }


def test_tallies_and_pairs_replace_those_of_their_seats(transaction: Transaction) -> None:
    """In their ladder; what was played from the other seats stays."""
    counts = tuple(column.name for column in pairs.columns if not column.primary_key)
    for ladder in LADDERS:
        for one, two in SEATS:
            written: list[journal.Entry] = [
                journal.SeatsTallied(ladder, (one, two), Tally(wins=1)),
                journal.SeatsTallied(ladder, (two, one), Tally(losses=1)),
                journal.PairsCounted(
                    ladder, (min(one, two), max(one, two)), PairCounts((1, 0, 0, 0, 0))
                ),
            ]
            write_all(written, transaction)
    last: list[journal.Entry] = [
        journal.SeatsTallied("main", ("bob", "ann"), Tally(wins=2, draws=3, losses=4)),
        journal.PairsCounted("main", ("ann", "bob"), PairCounts((5, 6, 7, 8, 9))),
    ]
    write_all(last, transaction)
    known = {(ladder, min(pair), max(pair)) for ladder in LADDERS for pair in SEATS}
    wins, losses = (1, 0, 0), (0, 0, 1)
    assert rows(transaction, pairs, "ladder", "first", "second", *counts) == {
        *(
            (*key, 1, 0, 0, 0, 0, *(losses + wins if key[1:] == ("bob", "cid") else wins + losses))
            for key in known - {("main", "ann", "bob")}
        ),
        ("main", "ann", "bob", 5, 6, 7, 8, 9, *wins, 2, 3, 4),
    }


def test_a_session_leaves_with_its_own_memberships(transaction: Transaction) -> None:
    """One that leaves a ladder stays in the others."""
    opened = [journal.SessionOpened(name, name, None) for name in "abc"]
    joined = [journal.LadderJoined(ladder, name) for ladder in LADDERS for name in "abc"]
    write_all([*opened, *joined, journal.LadderLeft("main", "b")], transaction)
    everything = {(ladder, name) for ladder in LADDERS for name in "abc"}
    assert rows(transaction, members, "ladder", "secret_hash") == everything - {("main", "b")}
    write_all([journal.SessionClosed("b")], transaction)
    assert rows(transaction, sessions, "secret_hash") == {("a",), ("c",)}
    assert rows(transaction, members, "ladder", "secret_hash") == {
        (ladder, name) for ladder, name in everything if name != "b"
    }


def test_a_game_and_a_match_end_alone(transaction: Transaction) -> None:
    """Each with its own winner, stores and points."""
    for match in "abc":
        opened: list[journal.Entry] = [
            journal.MatchOpened(match, ("ann", "bob"), TERMS, UTC),
            journal.GameOpened(f"{match}0", match, 0, UTC),
        ]
        write_all(opened, transaction)
    ended = Outcome(1, (20, 28), Reason.TIMEOUT, None)
    closed: list[journal.Entry] = [
        journal.GameClosed("b0", ended, LATER, announcement("b0")),
        journal.MatchClosed("b", (0.0, 1.0), LATER, announcement("b")),
    ]
    write_all(closed, transaction)
    columns = ("id", "ended_at", "winner", "south_store", "north_store", "reason")
    assert rows(transaction, games, *columns) == {
        ("a0", None, None, None, None, None),
        ("b0", LATER, 1, 20, 28, "timeout"),
        ("c0", None, None, None, None, None),
    }
    assert rows(transaction, matches, "id", "ended_at", "first_points", "second_points") == {
        ("a", None, None, None),
        ("b", LATER, 0.0, 1.0),
        ("c", None, None, None),
    }


def test_a_retained_payload_supersedes_that_of_its_topic(transaction: Transaction) -> None:
    """And none that is not retained; numbers go on by one."""
    said = [("a", True), ("b", True), ("b", False), ("c", True), ("b", True)]
    for number, (topic, is_retained) in enumerate(said):
        payload = announcement(f"e{number}").payload
        told = journal.Announcement(topic, f"e{number}", payload, is_retained=is_retained)
        write_all([journal.Announced(told)], transaction)
    assert rows(transaction, outbox, "seq", "topic", "is_retained") == {
        (1, "a", True),
        (3, "b", False),
        (4, "c", True),
        (5, "b", True),
    }


def test_entries_are_data(transaction: Transaction, tmp_path: Path) -> None:
    """An entry can be printed and compared; replayed elsewhere, it leaves the same rows."""
    rows_of = EventFactory("test", Topics("test")).standings
    standings = rows_of("main", "e", UTC, (Standing(1, "ann", 1, 1.0, 1, 0, 0),), total=1, games=0)
    entries: list[journal.Entry] = [
        journal.MatchOpened("m", ("ann", "bob"), TERMS, UTC),
        journal.GameOpened("g", "m", 0, UTC),
        journal.MovePlayed("g", 0, LedgerEntry(2, 12.5, 0.0), None, forced=False),
        journal.GameClosed(
            "g", Outcome(0, (25, 23), Reason.NORMAL, None), LATER, announcement("g")
        ),
        journal.StandingsAnnounced("main", standings),
    ]
    replayed = deepcopy(entries)
    assert replayed == entries
    assert "function" not in repr(entries)
    write_all(entries, transaction)
    with closing(connect(place_of(tmp_path / "other"))) as other, other.begin():
        again = Transaction(other)
        write_all(replayed, again)
        for table in (matches, games, outbox):
            assert rows(again, table, *table.c.keys()) == rows(transaction, table, *table.c.keys())


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (
            journal.MovePlayed("g", 7, LedgerEntry(2, 1.0, 0.0), None, forced=False),
            "MovePlayed g ply 7",
        ),
        (journal.GameOpened("g", "m", 0, UTC), "GameOpened g"),
        (journal.MatchClosed("m", (1.0, 0.0), UTC, announcement("m")), "MatchClosed m"),
        (journal.LadderLeft("main", "hash"), "LadderLeft main"),
        (journal.SessionOpened("hash", "ann", None), "SessionOpened ann"),
        (journal.SessionClosed("hash"), "SessionClosed"),
    ],
)
def test_an_entry_is_named_without_secrets(entry: journal.Entry, name: str) -> None:
    """In the log, by its kind and what it concerns."""
    assert name_of(entry) == name


def kinds_of(kind: type[object]) -> Iterator[type[object]]:
    for each in type.__subclasses__(kind):
        yield each
        yield from kinds_of(each)


def test_each_kind_of_entry_can_be_written() -> None:
    """The type checker takes one that no function writes, and the server would end with it."""
    for module in iter_modules(model.__path__, f"{model.__name__}."):
        import_module(module.name)
    kinds = {*get_args(journal.Entry), *kinds_of(journal.JournalEntry)} - {journal.JournalEntry}
    assert {each.__name__ for each in kinds ^ WRITERS.keys()} == set()


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        (Rules(), "{}"),
        (Rules(seeds=6, pie=True), '{"seeds":6,"pie":true}'),
        (TimeControl(), "{}"),
        (TimeControl(move_ms=None, bank_ms=60_000), '{"move_ms":null,"bank_ms":60000}'),
    ],
)
def test_terms_are_written_without_what_is_as_by_default(
    terms: Rules | TimeControl, text: str
) -> None:
    """Each match has a copy; the defaults are those of the protocol, and never change."""
    assert text_of(terms) == text
    assert codec.from_json(text, type(terms)) == terms
