"""Looking on: what spectators see, for how long, and how much of it."""

from mancala.protocol import messages as wire
from mancala.server.config.settings import Config, Limits
from tests.server.fakes import Harness, answer, paired


def test_a_spectator_sees_the_game_from_where_it_stands(harness: Harness) -> None:
    """First a snapshot without a seat, then every move and the end, and no question."""
    ann, bob = paired(harness)
    answer(harness, ann)
    eve = harness.greet("eve")
    game = ann.game
    harness.say(eve, wire.Watch(game))
    assert eve.last(wire.GameStart).seat is None
    assert len(eve.last(wire.GameStart).moves) == 1
    answer(harness, bob)
    harness.say(bob, wire.Resign(game))
    assert [type(message) for message in eve.told[2:]] == [wire.Moved, wire.GameOver]
    harness.say(eve, wire.Watch(game))
    assert eve.code is wire.ErrorCode.UNKNOWN_GAME, "it is over"


def test_a_spectator_that_has_enough_sees_no_more(harness: Harness) -> None:
    """Unwatch, with or without the game's name."""
    ann, _ = paired(harness)
    game = ann.game
    for unwatch in (wire.Unwatch(game), wire.Unwatch()):
        eve = harness.greet("eve")
        harness.say(eve, wire.Watch(game), unwatch, wire.Goodbye())
        answer(harness, ann)
        assert not eve.of(wire.Moved)


def test_one_connection_watches_so_many_games_and_ended_ones_do_not_count() -> None:
    """The limit is on games under way."""
    harness = Harness(Config(limits=Limits(watched=1)))
    ann, _ = paired(harness, wire.Seek(games=1))
    eve = harness.greet("eve")
    harness.say(eve, wire.Watch(ann.game))
    cyd, dan = harness.greet_all("cyd", "dan")
    harness.say(cyd, wire.Seek())
    harness.say(dan, wire.Seek())
    other = wire.Watch(cyd.game)
    harness.say(eve, other)
    assert eve.code is wire.ErrorCode.LIMIT
    harness.say(ann, wire.Resign(ann.game))
    harness.say(eve, other)
    assert eve.game == other.game


def test_a_spectator_that_goes_while_the_journal_works_is_forgotten(harness: Harness) -> None:
    """Its snapshot was due when the move is durable, and by then it is gone; the game goes on."""
    ann, bob = paired(harness)
    eve = harness.greet("eve")
    harness.journal.is_slow = True
    answer(harness, ann)
    harness.say(eve, wire.Watch(ann.game))
    harness.drop(eve)
    harness.journal.is_slow = False
    harness.journal.settle()
    assert not eve.of(wire.GameStart)
    harness.say(bob, wire.Resign(bob.game))
    assert ann.last(wire.GameStart).seat == 1, "the next game has begun"
