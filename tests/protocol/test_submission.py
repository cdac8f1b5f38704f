"""Events that were played elsewhere, as documents."""

import pytest
from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.messages import SUBMISSION_PART, Submit
from mancala.protocol.submission import (
    MOST_BYTES,
    SequentialTest,
    Submission,
    SubmissionError,
    SubmissionState,
    SubmittedEncounter,
    SubmittedGame,
    SubmittedPlayer,
    SubmittedRound,
    SubmittedStanding,
    document_of,
    parts_of,
    submission_of,
)

TEST = SequentialTest(0.0, 5.0, 0.05, 0.05, "logistic", 1.5, -2.94, 2.94, (1, 2, 3, 4, 5))
MATCH = Submission(
    title="a night",
    format="match",
    state=SubmissionState.FINISHED,
    entrants=(SubmittedPlayer("new", "engine"), SubmittedPlayer("old")),
    standings=(
        SubmittedStanding(1, "new", 2, 1.5, 1, 1, 0),
        SubmittedStanding(2, "old", 2, 0.5, 0, 1, 1),
    ),
    rounds=(
        SubmittedRound(
            1, (), (SubmittedEncounter("new", "old", (SubmittedGame("new", "old", 0, 6),)),)
        ),
    ),
    test=TEST,
)


def test_a_document_is_read_as_it_was_written() -> None:
    """From its parts, each of which fits into a frame however its characters are written."""
    long = replace(MATCH, rounds=(replace(MATCH.rounds[0], byes=('"🌱' * 40,) * 60),))
    parts = [*parts_of(document_of(long))]
    assert len(parts) > 2
    assert max(map(len, parts)) == SUBMISSION_PART
    for part in parts:
        assert len(codec.encode(Submit("x" * 64, part, more=True))) <= codec.FRAME_LIMIT
    assert submission_of("".join(parts)) == long


def test_rounds_that_make_it_too_long_are_left_out() -> None:
    """The table stays."""
    byes = ("x" * 128,) * 1000
    long = replace(MATCH, rounds=tuple(SubmittedRound(number, byes) for number in range(1, 4)))
    document = document_of(long)
    assert len(document) < MOST_BYTES
    assert submission_of(document) == replace(MATCH, rounds=())


def test_control_characters_are_not_sent() -> None:
    """They become spaces, as no message may hold them."""
    spoilt = replace(MATCH, title="night\x9b2J\u2028")
    assert submission_of(document_of(spoilt)).title == "night 2J "


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("", "truncated"),
        ("{}", "title"),
        (document_of(replace(MATCH, entrants=MATCH.entrants[:1])), "entrants"),
        (document_of(replace(MATCH, title="x" * 201)), "title"),
        (document_of(MATCH).replace("a night", "a\\u0007night"), "U.0007"),
        (document_of(MATCH).replace("[1,2,3,4,5]", "[1,2,3]"), "pentanomial"),
    ],
)
def test_what_is_no_submission_is_refused_with_the_reason(document: str, why: str) -> None:
    """Its shape, its bounds, and its characters."""
    with pytest.raises(SubmissionError, match=why):
        submission_of(document)
