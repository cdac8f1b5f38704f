"""Events that were played elsewhere, as the journal and the store know them."""

from __future__ import annotations

from dataclasses import dataclass, field

from mancala.protocol.submission import Submission


@dataclass(frozen=True, slots=True)
class SubmissionStored:
    """An event that was played elsewhere was submitted, or submitted again.

    Attributes:
        key: its name on the page.
        author: the holder of the token.
        at: when, RFC 3339.
        submission: what it says.
        document: the same, as it was sent.
    """

    key: str
    author: str
    at: str
    submission: Submission = field(repr=False)
    document: str = field(repr=False)
