"""Every match under way: which table an answer goes to, and which games are found."""

from mancala.protocol.messages import (
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
from mancala.server.config.settings import Config, Limits
from mancala.server.match.pace import SHORT_GAMES_BURST, SHORT_GAMES_PER_S
from tests.server.fakes import Harness, paired, play_out


def test_a_bot_plays_several_matches_at_once_up_to_the_limit() -> None:
    """Answers go to the game they name."""
    harness = Harness(Config(limits=Limits(tables=2)))
    ann, bob, cyd = harness.greet_all("ann", "bob", "cyd")
    for other in (bob, cyd):
        harness.say(ann, Seek())
        harness.say(other, Seek())
    first, second = ann.of(Turn)
    assert first.game != second.game
    harness.say(ann, Move(second.game, 0, 5))
    assert cyd.of(Moved)
    assert not bob.of(Moved)
    harness.say(ann, Seek())
    assert ann.code is ErrorCode.LIMIT


def test_a_spectator_can_not_play(harness: Harness) -> None:
    """An answer for another's game is refused and changes nothing."""
    ann, _ = paired(harness)
    eve = harness.greet("eve")
    game = ann.game
    harness.say(eve, Watch(game), Move(game, 0, 5), Resign(game))
    assert [error.code for error in eve.of(Error)] == [ErrorCode.UNKNOWN_GAME] * 2
    assert not ann.of(Moved)
    assert not ann.of(GameOver)


def test_a_whole_match_is_played_and_scored(harness: Harness) -> None:
    """Two games, seats swapped, and the score at the end."""
    ann, bob = paired(harness)
    play_out(harness, ann, bob)
    assert [start.seat for start in ann.of(GameStart)] == [0, 1]
    assert len(bob.of(GameOver)) == 2
    assert sum(ann.last(MatchOver).score.values()) == 2


def test_games_given_up_at_the_start_follow_one_another_at_a_pace(harness: Harness) -> None:
    """A thousand games that are never played don't keep the server from those of others."""
    ann, bob = paired(harness, Seek(games=1000))
    for _ in range(1000):
        if len(ann.of(GameOver)) == len(ann.of(GameStart)):
            break
        harness.say(bob, Resign(ann.game))
    assert len(ann.of(GameStart)) == 1 + SHORT_GAMES_BURST
    harness.clock.pass_by(1.01 / SHORT_GAMES_PER_S)
    assert len(ann.of(GameStart)) == 2 + SHORT_GAMES_BURST


def test_a_running_game_is_found_by_its_id_until_it_ends(harness: Harness) -> None:
    """Then the next one of the match is, and after the last one none."""
    ann, bob = paired(harness)
    tables = harness.sessions.tables
    first = ann.game
    assert tables.games == (first,)
    harness.say(bob, Resign(first))
    second = ann.game
    assert tables.games == (second,)
    assert tables.find(first) is None
    harness.say(bob, Resign(second))
    assert not tables.games
