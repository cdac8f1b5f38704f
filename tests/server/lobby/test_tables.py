"""Every match under way: which table an answer goes to, and which games are found."""

from __future__ import annotations

import pytest

from protocol.messages import (
    Error,
    ErrorCode,
    GameOver,
    GameStart,
    MatchOver,
    Move,
    Moved,
    Resign,
    Seek,
    Turn,
    Watch,
)
from server.config.settings import Config, Limits
from tests.server.fakes import House, paired, play_out


@pytest.fixture
def house() -> House:
    """A hall with nobody in it."""
    return House()


def test_a_bot_plays_several_matches_at_once_up_to_the_limit() -> None:
    """Answers go to the game they name."""
    house = House(Config(limits=Limits(tables=2)))
    ann, bob, cyd = (house.greet(name) for name in ("ann", "bob", "cyd"))
    for other in (bob, cyd):
        house.say(ann, Seek())
        house.say(other, Seek())
    first, second = ann.of(Turn)
    assert first.game != second.game
    house.say(ann, Move(second.game, 0, 5))
    assert cyd.of(Moved)
    assert not bob.of(Moved)
    house.say(ann, Seek())
    assert ann.last(Error).code is ErrorCode.LIMIT


def test_a_spectator_can_not_play(house: House) -> None:
    """An answer for another's game is refused and changes nothing."""
    ann, _ = paired(house)
    eve = house.greet("eve")
    game = ann.last(GameStart).game
    house.say(eve, Watch(game), Move(game, 0, 5), Resign(game))
    assert [error.code for error in eve.of(Error)] == [ErrorCode.UNKNOWN_GAME] * 2
    assert not ann.of(Moved)
    assert not ann.of(GameOver)


def test_a_whole_match_is_played_and_scored(house: House) -> None:
    """Two games, seats swapped, and the score at the end."""
    ann, bob = paired(house)
    play_out(house, ann, bob)
    assert [start.seat for start in ann.of(GameStart)] == [0, 1]
    assert len(bob.of(GameOver)) == 2
    assert sum(ann.last(MatchOver).score.values()) == 2


def test_a_running_game_is_found_by_its_id_until_it_ends(house: House) -> None:
    """Then the next one of the match is, and after the last one none."""
    ann, bob = paired(house)
    tables = house.hall.tables
    first = ann.last(GameStart).game
    assert tables.games == (first,)
    house.say(bob, Resign(first))
    second = ann.last(GameStart).game
    assert tables.games == (second,)
    assert tables.find(first) is None
    house.say(bob, Resign(second))
    assert not tables.games
