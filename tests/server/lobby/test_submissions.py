"""Clients bring events that were played elsewhere."""

from mancala.protocol.messages import Error, ErrorCode, Submit, Submitted
from mancala.protocol.submission import MOST_BYTES, document_of, submission_of
from mancala.server.lobby.submissions import key_of
from mancala.server.model.journal import SubmissionStored
from tests.protocol.test_submission import MATCH
from tests.server.fakes import FakeSeat, Harness

DOCUMENT = document_of(MATCH)


def author(harness: Harness, name: str = "lab", *, may_submit: bool = True) -> FakeSeat:
    if may_submit:
        harness.tokens.submitters.add(name)
    return harness.greet(name, token="a-token")  # noqa: S106  # no secret


def submit(harness: Harness, seat: FakeSeat, document: str, name: str = "night-1") -> None:
    parts = [document[place : place + 100] for place in range(0, len(document), 100)]
    for place, part in enumerate(parts, start=1):
        harness.say(seat, Submit(name, part, more=place < len(parts)))


def test_an_event_is_stored_and_then_answered() -> None:
    """Under a key that is the same for the same author and id, so that it is there once."""
    harness = Harness()
    lab = author(harness)
    for _ in range(2):
        submit(harness, lab, DOCUMENT)
    key = key_of("lab", "night-1")
    assert lab.of(Submitted) == [Submitted("night-1", key)] * 2
    stored = [it for it in harness.journal.entries if isinstance(it, SubmissionStored)]
    assert [(it.key, it.author, it.submission) for it in stored] == [(key, "lab", MATCH)] * 2
    assert submission_of(stored[0].document) == MATCH
    assert key_of("other", "night-1") != key


def test_only_a_token_with_the_right_may_submit() -> None:
    """A guest hears that with the first part, and no part is answered twice."""
    harness = Harness()
    guest, bot = harness.greet("guest"), author(harness, "bot", may_submit=False)
    submit(harness, guest, DOCUMENT)
    submit(harness, bot, DOCUMENT)
    assert guest.errors == bot.errors == [(ErrorCode.FORBIDDEN, "night-1")]
    assert not harness.journal.kept(SubmissionStored)


def test_what_is_too_long_or_no_submission_is_refused() -> None:
    """With a sentence; the next one is taken."""
    harness = Harness()
    lab = author(harness)
    long = "x" * 3500
    for place in range(MOST_BYTES // len(long) + 2):
        harness.say(lab, Submit("long", long, more=place <= MOST_BYTES // len(long)))
    assert lab.last(Error).message == "a submission has at most 262144 bytes"
    submit(harness, lab, "[]", "bad")
    assert lab.errors == [(ErrorCode.LIMIT, "long"), (ErrorCode.INVALID, "bad")]
    assert lab.last(Error).message.startswith("no submission: ")
    submit(harness, lab, DOCUMENT)
    assert lab.last(Submitted).submission == "night-1"


def test_a_part_of_another_event_or_connection_begins_anew() -> None:
    """What was half sent is not put together with it."""
    harness = Harness()
    lab = author(harness)
    harness.say(lab, Submit("half", DOCUMENT[:50], more=True))
    submit(harness, lab, DOCUMENT)
    harness.say(lab, Submit("night-1", DOCUMENT[:50], more=True))
    harness.drop(lab)
    lab = author(harness)
    submit(harness, lab, DOCUMENT)
    assert lab.of(Submitted) == [Submitted("night-1", key_of("lab", "night-1"))]


def test_a_store_that_takes_nothing_is_told() -> None:
    """The author may send it again later."""
    harness = Harness()
    lab = author(harness)
    harness.journal.refuses = lambda _entry: True
    submit(harness, lab, DOCUMENT)
    assert lab.errors == [(ErrorCode.INTERNAL, "night-1")]
