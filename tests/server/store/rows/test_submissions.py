"""Submitted events as the store keeps them."""

import pytest
from msgspec.structs import replace

from mancala.protocol.submission import Submission, document_of
from mancala.server.model.journal import SubmissionStored
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows import submissions
from mancala.server.store.rows.submissions import latest, submission_at
from tests.protocol.test_submission import MATCH

pytestmark = pytest.mark.usefixtures("database")
EVENT = replace(MATCH, title="a cup", test=None)


def stored(key: str, day: int, submission: Submission = EVENT) -> SubmissionStored:
    at = f"2026-01-{day:02}T00:00:00.000+00:00"
    return SubmissionStored(key, "lab", at, submission, document_of(submission))


def test_a_submission_takes_the_place_of_the_one_before(transaction: Transaction) -> None:
    """It keeps the time of the first."""
    later = replace(EVENT, played=9)
    write_all([stored("a", 1), stored("a", 2, later)], transaction)
    found = submission_at(transaction, "a")
    assert found is not None
    assert (found.author, found.submission) == ("lab", later)
    assert (found.submitted_at[:10], found.updated_at[:10]) == ("2026-01-01", "2026-01-02")
    assert submission_at(transaction, "b") is None


def test_tests_and_other_events_are_listed_the_latest_first(transaction: Transaction) -> None:
    """With what a list shows: the course of a test is left out."""
    course = replace(MATCH.test, course=(1.0, 2.0)) if MATCH.test is not None else None
    tested = replace(MATCH, test=course)
    write_all([stored("a", 1), stored("b", 3), stored("t", 2, tested)], transaction)
    events = latest(transaction, tests=False).submissions
    assert [(each.key, each.title, each.test) for each in events] == [
        ("b", "a cup", None),
        ("a", "a cup", None),
    ]
    (test,) = latest(transaction, tests=True).submissions
    assert (test.key, test.players, test.test) == ("t", ("new", "old"), MATCH.test)


def test_an_author_has_room_for_some(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was sent longest ago makes room."""
    monkeypatch.setattr(submissions, "EXCESS", submissions.excess(most=2))
    write_all([stored("a", 1), stored("b", 2), stored("a", 3), stored("c", 4)], transaction)
    assert [each.key for each in latest(transaction, tests=False).submissions] == ["c", "a"]
