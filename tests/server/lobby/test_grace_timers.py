"""How long the seat of a lost connection is kept."""

from mancala.protocol.messages import Error, ErrorCode, Welcome
from mancala.server.model.journal import SessionClosed
from tests.server.fakes import Harness, paired


def test_an_idle_bot_that_dropped_does_not_keep_its_name(harness: Harness) -> None:
    """Without a game there is nothing to keep the name for."""
    harness.drop(harness.greet("ann"))
    assert harness.greet("ann").of(Welcome)


def test_a_bot_that_dropped_from_a_game_keeps_its_name(harness: Harness) -> None:
    """Its seat waits for its session's secret."""
    ann, _ = paired(harness)
    harness.drop(ann)
    assert harness.greet("ann").code is ErrorCode.BAD_NAME


def test_a_session_ends_with_the_grace_time(harness: Harness) -> None:
    """After it the secret opens nothing, and the journal forgets it too."""
    ann = harness.greet("ann")
    harness.drop(ann)
    harness.clock.pass_by(31)
    assert len(harness.journal.kept(SessionClosed)) == 1
    assert harness.greet("ann", resume=ann.secret).of(Error)
