"""Games that the house bots play with one another, for those who look on."""

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Accept, Challenge, Challenged, GameStart, Resign
from mancala.protocol.rules import PRESETS
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Play
from tests.server.fakes import FakeSeat, Harness

EVERY_S = 60.0
UNHURRIED = TimeControl(move_ms=600_000)
HOUSE = {"ada": "random", "bob": "random", "cid": "random"}


def open_lobby(*, every_s: float = EVERY_S, challenges: int = 4) -> tuple[Harness, list[FakeSeat]]:
    play = Play(exhibition_s=every_s, challenges=challenges)
    harness = Harness(Config(play=play, ladder=(LadderSettings(name="main", house=HOUSE),)))
    return harness, [harness.greet(name, is_own=True, challenges=True) for name in HOUSE]


def begun(seats: list[FakeSeat]) -> list[tuple[str, str]]:
    games = {start.game: start.names for seat in seats for start in seat.of(GameStart)}
    return [games[game] for game in sorted(games, key=lambda game: int(game[2:]))]


def end_game(harness: Harness, seats: list[FakeSeat]) -> None:
    beginners = [(each, seat) for seat in seats for each in seat.of(GameStart) if each.seat == 0]
    latest, seat = max(beginners, key=lambda pair: int(pair[0].game[2:]))
    harness.say(seat, Resign(latest.game))


def test_one_game_at_a_time_and_not_for_ratings() -> None:
    """The next one begins some time after the end of the last."""
    harness, seats = open_lobby()
    assert begun(seats) == []
    harness.clock.pass_by(EVERY_S)
    assert len(begun(seats)) == 1
    assert not next(start for seat in seats for start in seat.of(GameStart)).rated
    harness.clock.pass_by(EVERY_S / 2)
    assert len(begun(seats)) == 1


def test_pairs_vary_until_all_have_met() -> None:
    """Each of the six pairs of three bots plays once before any plays again."""
    harness, seats = open_lobby()
    for _ in range(6):
        harness.clock.pass_by(EVERY_S)
        end_game(harness, seats)
    assert len(begun(seats)) == 6
    assert len(set(begun(seats))) == 6


def test_a_reload_brings_the_next_game_new_rules() -> None:
    """The server's default rules, which a reload takes up."""
    harness, seats = open_lobby()
    harness.reload(rules="article")
    harness.clock.pass_by(EVERY_S)
    start = next(start for seat in seats for start in seat.of(GameStart))
    assert start.rules == PRESETS["article"]


def test_without_the_setting_none_begins() -> None:
    """It is off by default."""
    harness, seats = open_lobby(every_s=0.0)
    harness.clock.pass_by(EVERY_S)
    assert begun(seats) == []


def test_bots_whose_places_are_taken_are_left_alone() -> None:
    """People who challenge come first."""
    harness, seats = open_lobby(challenges=1)
    for name in ("ada", "bob"):
        harness.say(harness.greet(f"eve-{name}"), Challenge(name, clock=UNHURRIED))
    for seat in seats[:2]:
        harness.say(seat, Accept(seat.last(Challenged).challenge))
    before = len(begun(seats))
    harness.clock.pass_by(EVERY_S)
    assert len(begun(seats)) == before


def test_a_server_that_stops_begins_no_more() -> None:
    """The games under way are all that it waits for."""
    harness, seats = open_lobby()
    harness.sessions.drain(lambda: None)
    harness.clock.pass_by(EVERY_S)
    assert begun(seats) == []
    harness.sessions.suspend()
    harness.clock.pass_by(EVERY_S)
    assert begun(seats) == []
