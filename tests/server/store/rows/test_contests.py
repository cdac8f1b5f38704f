"""Events as the store keeps them."""

from pathlib import Path

import pytest

from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import Board, Rules
from mancala.server.model.contests import (
    EntrantRow,
    EventEntrantsChanged,
    EventGameCounted,
    EventGameRow,
    EventLogLine,
    EventPaired,
    EventStepped,
    KeptEvent,
    PairingRow,
)
from mancala.server.model.journal import MatchOpened
from mancala.server.model.match import EventContext, Terms
from mancala.server.store import Store
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows import contests
from mancala.server.store.rows.contests import kept_events, log_of
from mancala.server.store.rows.matches import unfinished
from tests.server.store.databases import place_of

pytestmark = pytest.mark.usefixtures("database")
AT = "2026-01-01T00:00:00.000+00:00"
ANN, BOB = EntrantRow("ann", 1, None, 0), EntrantRow("bob", 1, None, 0)
ROUND = (PairingRow(1, 0, "ann", "bob", "abc"), PairingRow(1, 1, "cid", None, "abc"))
GAME = EventGameRow(0, "ann", "bob", 1, -4, "normal", "g1", 0)


def stepped(step: str, state: str, number: int, by: str = "") -> EventStepped:
    return EventStepped("final", step, state, number, None, "{}", AT, by, "")


def other_event(step: str) -> EventStepped:
    return EventStepped("cup", step, "pairing", 1, None, None, AT)


def test_an_event_comes_back_as_it_was_kept(transaction: Transaction) -> None:
    """The last state, entrants and games; all rounds, in order."""
    late = PairingRow(2, 0, "bob", "ann", "def")
    gone = BOB._replace(leaves=1, absences=2)
    void = GAME._replace(winner=None, reason="aborted", voids=1)
    write_all([EventEntrantsChanged("final", (ANN, BOB))], transaction)
    write_all([stepped("pair", "pairing", 1), EventPaired("final", ROUND)], transaction)
    write_all([EventGameCounted("final", void), EventGameCounted("final", GAME)], transaction)
    write_all([EventEntrantsChanged("final", (ANN, gone))], transaction)
    write_all([stepped("pause", "paused", 2), EventPaired("final", (late,))], transaction)
    assert kept_events(transaction) == {
        "final": KeptEvent("paused", 2, None, "{}", (ANN, gone), (*ROUND, late), (GAME,))
    }


def test_an_entrant_that_is_gone_leaves_no_row(transaction: Transaction) -> None:
    """Those behind it move up; rows before the first that differs stay as they are."""
    cid = EntrantRow("cid", 1, None, 0)
    write_all([stepped("open", "open", 0)], transaction)
    write_all([EventEntrantsChanged("final", (ANN, BOB, cid))], transaction)
    write_all([EventEntrantsChanged("final", (cid,), 1, ("bob",))], transaction)
    assert kept_events(transaction)["final"].entrants == (ANN, cid)


def test_a_round_is_stored_once(transaction: Transaction) -> None:
    """Another pairing of the same round is refused."""
    write_all([EventPaired("final", ROUND)], transaction)
    assert kept_events(transaction) == {}
    write_all([EventPaired("final", ROUND[:1])], transaction)
    with pytest.raises(Exception, match=r"(?i)unique"):
        kept_events(transaction)


def test_the_log_has_every_step_with_its_number(transaction: Transaction) -> None:
    """Each event counts its own."""
    other = other_event("pair")
    steps = [stepped("pair", "pairing", 1, "root"), other, stepped("play", "playing", 1)]
    write_all(steps, transaction)
    assert log_of(transaction, "final") == [
        EventLogLine(1, AT, "pair", "root", ""),
        EventLogLine(2, AT, "play", "", ""),
    ]
    assert [line.number for line in log_of(transaction, "cup")] == [1]


def test_a_bot_that_enters_and_withdraws_without_end_fills_no_log(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the organiser and the server did stays, however long ago."""
    monkeypatch.setattr(contests, "MOST_LINES", 4)
    write_all([stepped("open", "open", 0, "root"), other_event("enter")], transaction)
    for _ in range(5):
        write_all([stepped("enter", "open", 0), stepped("withdraw", "open", 0)], transaction)
    lines = [(line.number, line.step) for line in log_of(transaction, "final")]
    assert lines == [*((1, "open"), (8, "enter"), (9, "withdraw"), (10, "enter"), (11, "withdraw"))]
    assert [line.step for line in log_of(transaction, "cup")] == ["enter"]


async def test_a_match_of_an_event_goes_on_with_its_opening(tmp_path: Path) -> None:
    """The next server knows which games of which event it has."""
    rules = Rules.parse("kalah")
    opening = Board.from_text("<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>")
    context = EventContext("final", 6, (opening,))
    terms = Terms(rules, TimeControl(move_ms=1000), rated=False, games=2)
    failures: list[Exception] = []
    async with Store(place_of(tmp_path), failed=failures.append) as store:
        opened = MatchOpened("m", ("ann", "bob"), terms, AT, event_context=context)
        store.commit([opened], lambda: None)
        [kept] = await store.run(unfinished)
    assert kept.match.event_context == context
    assert kept.match.opening == opening
    assert kept.match.ladder is None


def test_an_archive_has_neither_the_password_nor_addresses(transaction: Transaction) -> None:
    """All can read it once the event is over; by whose bots are one's, rounds are paired again."""
    ann, eve = (ANN._replace(name=name, owner="203.0.113.7") for name in ("ann", "eve"))
    kept = KeptEvent("finished", 1, None, None, (ann, BOB, eve), ROUND, ())
    settings = '{"name": "final", "password": "wari"}'
    archive = contests.archive_of(transaction, "final", kept, settings, "test")
    assert archive.settings == {"name": "final", "password": ""}
    assert archive.entrants == (ann._replace(owner="1"), BOB, eve._replace(owner="1"))
