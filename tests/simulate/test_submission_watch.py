"""What the simulation knows of submitted events."""

import pytest

from mancala.protocol.messages import Submit, Submitted
from tests.simulate.promises import BrokenPromiseError
from tests.simulate.submission_watch import SubmissionWatch


def test_what_was_answered_has_to_be_stored_as_it_was_sent() -> None:
    """In parts; any of those that were sent under the id."""
    watch = SubmissionWatch()
    watch.arrived("ann", Submit("n", "half", more=True))
    watch.greeted("ann")
    for part in (Submit("n", "a", more=True), Submit("n", "b"), Submit("n", "c")):
        watch.arrived("ann", part)
    watch.told("ann", Submitted("n", "key"))
    watch.check({"key": "ab"})
    watch.check({"key": "c"})
    for stored in ({}, {"key": "halfab"}):
        with pytest.raises(BrokenPromiseError):
            watch.check(stored)


def test_only_what_was_sent_may_be_answered() -> None:
    """By the bot that sent it."""
    watch = SubmissionWatch()
    watch.arrived("ann", Submit("n", "a"))
    with pytest.raises(BrokenPromiseError):
        watch.told("bob", Submitted("n", "key"))
