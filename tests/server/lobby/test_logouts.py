"""How sessions end before their time."""

from mancala.protocol import messages as wire
from tests.server.fakes import Harness, answer, paired


def test_a_goodbye_in_mid_game_loses_it_and_ends_the_match(harness: Harness) -> None:
    """The other bot isn't made to wait for the games that will not be."""
    ann, bob = paired(harness, wire.Seek(games=6))
    answer(harness, ann)
    harness.say(ann, wire.Goodbye())
    assert bob.last(wire.GameOver).reason is wire.Reason.DISCONNECTED
    assert bob.last(wire.GameOver).winner == 1
    assert bob.last(wire.MatchOver).score == {"ann": 0.0, "bob": 1.0}
    assert ann.closed == ("goodbye", None, 1000)


def test_a_goodbye_before_the_first_move_aborts_the_game(harness: Harness) -> None:
    """A bot that ends after its running game can't help that the next one has begun."""
    ann, bob = paired(harness)
    harness.say(bob, wire.Goodbye())
    assert ann.last(wire.GameOver).reason is wire.Reason.ABORTED
    assert ann.last(wire.MatchOver).score == {"ann": 0.0, "bob": 0.0}


def test_breaking_the_protocol_loses_every_running_game_with_what_was_received(
    harness: Harness,
) -> None:
    """The evidence shows the beginning of the frame; the session can't be resumed."""
    ann, bob = paired(harness)
    harness.sessions.on_violation(ann, "not JSON", "%$&")
    over = bob.last(wire.GameOver)
    assert (over.reason, over.winner) == (wire.Reason.PROTOCOL, 1)
    assert over.evidence is not None
    assert (over.evidence.player, over.evidence.received) == (0, "%$&")
    harness.drop(ann)
    again = harness.greet("ann", resume=ann.secret)
    assert again.code is wire.ErrorCode.BAD_RESUME


def test_who_broke_the_protocol_is_expelled_after_the_ends_of_its_games(harness: Harness) -> None:
    """The connection closes when the games' ends were sent; without games, immediately."""
    ann, _ = paired(harness)
    ends: list[int] = []
    harness.sessions.on_violation(
        ann, "not JSON", "", close=lambda: ends.append(len(ann.of(wire.MatchOver)))
    )
    idle = harness.greet("cyd")
    harness.sessions.on_violation(idle, "not JSON", "", close=lambda: ends.append(-1))
    assert ends == [1, -1]
