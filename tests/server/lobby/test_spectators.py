"""Looking on: what spectators see, for how long, and how much of it."""

from __future__ import annotations

import pytest

from protocol.messages import (
    Error,
    ErrorCode,
    GameOver,
    GameStart,
    Goodbye,
    Moved,
    Resign,
    Seek,
    Unwatch,
    Watch,
)
from server.config.settings import Config, Limits
from tests.server.fakes import House, answer, paired


@pytest.fixture
def house() -> House:
    """A hall with nobody in it."""
    return House()


def test_a_spectator_sees_the_game_from_where_it_stands(house: House) -> None:
    """First a snapshot without a seat, then every move and the end, and no question."""
    ann, bob = paired(house)
    answer(house, ann)
    eve = house.greet("eve")
    game = ann.last(GameStart).game
    house.say(eve, Watch(game))
    assert eve.last(GameStart).seat is None
    assert len(eve.last(GameStart).moves) == 1
    answer(house, bob)
    house.say(bob, Resign(game))
    assert [type(message) for message in eve.told[2:]] == [Moved, GameOver]
    house.say(eve, Watch(game))
    assert eve.last(Error).code is ErrorCode.UNKNOWN_GAME, "it is over"


def test_a_spectator_that_has_enough_sees_no_more(house: House) -> None:
    """Unwatch, with or without the game's name."""
    ann, _ = paired(house)
    game = ann.last(GameStart).game
    for unwatch in (Unwatch(game), Unwatch()):
        eve = house.greet("eve")
        house.say(eve, Watch(game), unwatch, Goodbye())
        answer(house, ann)
        assert not eve.of(Moved)


def test_one_connection_watches_so_many_games_and_ended_ones_do_not_count() -> None:
    """The limit is on games under way."""
    house = House(Config(limits=Limits(watched=1)))
    ann, _ = paired(house, Seek(games=1))
    eve = house.greet("eve")
    house.say(eve, Watch(ann.last(GameStart).game))
    cyd, dan = house.greet("cyd"), house.greet("dan")
    house.say(cyd, Seek())
    house.say(dan, Seek())
    other = Watch(cyd.last(GameStart).game)
    house.say(eve, other)
    assert eve.last(Error).code is ErrorCode.LIMIT
    house.say(ann, Resign(ann.last(GameStart).game))
    house.say(eve, other)
    assert eve.last(GameStart).game == other.game


def test_a_spectator_that_goes_while_the_journal_works_is_forgotten(house: House) -> None:
    """Its snapshot was due when the move is durable, and by then it is gone; the game goes on."""
    ann, bob = paired(house)
    eve = house.greet("eve")
    house.journal.is_slow = True
    answer(house, ann)
    house.say(eve, Watch(ann.last(GameStart).game))
    house.drop(eve)
    house.journal.is_slow = False
    house.journal.settle()
    assert not eve.of(GameStart)
    house.say(bob, Resign(bob.last(GameStart).game))
    assert ann.last(GameStart).seat == 1, "the next game has begun"
