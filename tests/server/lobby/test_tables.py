"""Every match under way: which table an answer goes to, and which games are found."""

from mancala.protocol import messages as wire
from mancala.server.config.settings import Config, Limits
from mancala.server.match.pace import SHORT_GAMES_BURST, SHORT_GAMES_PER_S
from tests.server.fakes import Harness, paired, play_out


def test_a_bot_plays_several_matches_at_once_up_to_the_limit() -> None:
    """Answers go to the game they name."""
    harness = Harness(Config(limits=Limits(tables=2)))
    ann, bob, cyd = harness.greet_all("ann", "bob", "cyd")
    for other in (bob, cyd):
        harness.say(ann, wire.Seek())
        harness.say(other, wire.Seek())
    first, second = ann.of(wire.Turn)
    assert first.game != second.game
    harness.say(ann, wire.Move(second.game, 0, 5))
    assert cyd.of(wire.Moved)
    assert not bob.of(wire.Moved)
    harness.say(ann, wire.Seek())
    assert ann.code is wire.ErrorCode.LIMIT


def test_a_spectator_can_not_play(harness: Harness) -> None:
    """An answer for another's game is refused and changes nothing."""
    ann, _ = paired(harness)
    eve = harness.greet("eve")
    game = ann.game
    harness.say(eve, wire.Watch(game), wire.Move(game, 0, 5), wire.Resign(game))
    assert [error.code for error in eve.of(wire.Error)] == [wire.ErrorCode.UNKNOWN_GAME] * 2
    assert not ann.of(wire.Moved)
    assert not ann.of(wire.GameOver)


def test_a_whole_match_is_played_and_scored(harness: Harness) -> None:
    """Two games, seats swapped, and the score at the end."""
    ann, bob = paired(harness)
    play_out(harness, ann, bob)
    assert [start.seat for start in ann.of(wire.GameStart)] == [0, 1]
    assert len(bob.of(wire.GameOver)) == 2
    assert sum(ann.last(wire.MatchOver).score.values()) == 2


def test_games_given_up_at_the_start_follow_one_another_at_a_pace(harness: Harness) -> None:
    """A thousand games that are never played don't keep the server from those of others."""
    ann, bob = paired(harness, wire.Seek(games=1000))
    for _ in range(1000):
        if len(ann.of(wire.GameOver)) == len(ann.of(wire.GameStart)):
            break
        harness.say(bob, wire.Resign(ann.game))
    assert len(ann.of(wire.GameStart)) == 1 + SHORT_GAMES_BURST
    harness.clock.pass_by(1.01 / SHORT_GAMES_PER_S)
    assert len(ann.of(wire.GameStart)) == 2 + SHORT_GAMES_BURST


def test_pages_of_running_games_begin_after_an_id(harness: Harness) -> None:
    """In the order of ids, until each is over; a page reads no more than it shows."""
    seats = harness.greet_all("ann", "bob", "cid", "dan")
    for first, second in (seats[:2], seats[2:]):
        harness.say(first, wire.Seek(games=1, rated=False))
        harness.say(second, wire.Seek(games=1, rated=False))
    tables = harness.sessions.tables
    one, two = tables.shown_after("")
    assert one < two
    assert [*tables.shown_after(one)] == [two]
    start = seats[0].last(wire.GameStart)
    harness.say(seats[0], wire.Resign(start.game))
    assert [*tables.shown_after("")] == [{one: two, two: one}[start.game]]


def test_a_running_game_is_found_by_its_id_until_it_ends(harness: Harness) -> None:
    """Then the next one of the match is, and after the last one none."""
    ann, bob = paired(harness)
    tables = harness.sessions.tables
    first = ann.game
    assert tables.games == (first,)
    harness.say(bob, wire.Resign(first))
    second = ann.game
    assert tables.games == (second,)
    assert tables.find(first) is None
    harness.say(bob, wire.Resign(second))
    assert not tables.games
