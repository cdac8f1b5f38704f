"""Events that were played elsewhere, as visitors see them."""

from mancala.protocol.messages import Name
from mancala.protocol.results import Timestamp
from mancala.protocol.submission import SequentialTest, Submission, SubmissionState

from .views import View


class SubmissionSummary(View, frozen=True):
    """An event that was played elsewhere, in a list.

    Attributes:
        title: what it is.
        state: whether it is being played, finished, or was stopped before its end.
        players: the first two players.
        played: games that were played.
        planned: games of the whole event, if that is known; of a test, at most.
        test: where its sequential test stands, without its course; None if it is none.
    """

    key: str
    author: Name
    submitted_at: Timestamp
    updated_at: Timestamp
    title: str
    format: str
    state: SubmissionState
    players: tuple[str, ...]
    played: int
    planned: int | None
    test: SequentialTest | None


class SubmissionList(View, frozen=True):
    """Events that were played elsewhere.

    Attributes:
        submissions: the latest 200.
    """

    submissions: tuple[SubmissionSummary, ...]


class SubmissionView(View, frozen=True):
    """An event that was played elsewhere.

    Attributes:
        submission: what it says.
    """

    key: str
    author: Name
    submitted_at: Timestamp
    updated_at: Timestamp
    submission: Submission
