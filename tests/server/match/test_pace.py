"""How many turns a second are put to one bot, and how soon very short games follow one another."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Move, Moved, Seek, Turn
from mancala.protocol.rules import KALAH
from mancala.server.config.settings import Config, Limits
from mancala.server.match.pace import (
    BOTS,
    BURST_S,
    SHORT_GAMES_BURST,
    SHORT_GAMES_PER_S,
    SHORT_PLIES,
    Pace,
)
from mancala.server.match.participant import Participant
from mancala.server.model.match import Match, Terms
from tests.server.fakes import UTC, FakeSeat, Harness, limited, paired

PER_S = 10.0
LIMITS = limited(moves_per_s=PER_S)
BURST = round(BURST_S * PER_S)
TERMS = Terms(KALAH, TimeControl(move_ms=100), rated=True, games=1)


@pytest.fixture
def pace() -> Pace:
    """Ten turns a second."""
    return Pace(LIMITS)


def bot(name: str, address: str = "", *, matches: int = 2) -> Participant:
    player = Participant(name, "hash", None, is_guest=bool(address), address=address)
    for number in map(str, range(matches)):
        player.matches[number] = Match(number, (name, "other"), TERMS, UTC)
    return player


def waits(pace: Pace, player: Participant, games: int, plies: int = 1) -> list[float]:
    """Return how long each of some games has to wait that end after a number of plies."""
    found = []
    for _ in range(games):
        pace.ended([player], plies)
        found.append(pace.game_wait_s([player], 0.0))
    return found


def test_turns_beyond_the_pace_wait(pace: Pace) -> None:
    """After a burst each waits longer than the one before; another bot does not notice it."""
    ann = bot("ann", "127.0.0.1")
    assert [pace.turn_wait_s(ann, 0.0) for _ in range(BURST)] == [0.0] * BURST
    assert [pace.turn_wait_s(ann, 0.0) for _ in range(2)] == [1 / PER_S, 2 / PER_S]
    assert pace.turn_wait_s(bot("bob", "127.0.0.1"), 0.0) == 0.0
    assert pace.turn_wait_s(ann, 60.0) == 0.0


def test_a_reload_changes_the_pace_of_a_bot_that_plays() -> None:
    """It kept its former one for as long as the server ran."""
    live = limited(moves_per_s=PER_S)
    pace, ann = Pace(live), bot("ann", "127.0.0.1")
    assert pace.turn_wait_s(ann, 0.0) == 0.0
    live.now = limited(moves_per_s=2 * PER_S).now
    assert [pace.turn_wait_s(ann, 60.0) for _ in range(2 * BURST)] == [0.0] * 2 * BURST
    assert pace.turn_wait_s(ann, 60.0) == 1 / (2 * PER_S)


def test_a_bot_at_one_table_has_no_pace(pace: Pace) -> None:
    """However quick it is, its opponent has to answer before it is asked again."""
    ann = bot("ann", "127.0.0.1", matches=1)
    assert {pace.turn_wait_s(ann, 0.0) for _ in range(2 * BURST)} == {0.0}


def test_guests_of_an_address_share_a_pace(pace: Pace) -> None:
    """That of some bots; on the server's own machine, and with a token, each has its own."""
    for number in range(BOTS):
        for _ in range(BURST):
            pace.turn_wait_s(bot(f"guest-{number}", "192.0.2.1"), 0.0)
    assert pace.turn_wait_s(bot("new", "192.0.2.1"), 0.0) > 0.0
    assert pace.turn_wait_s(bot("far", "192.0.2.2"), 0.0) == 0.0
    assert pace.turn_wait_s(bot("ann"), 0.0) == 0.0


def test_games_of_a_few_plies_follow_one_another_at_a_pace(pace: Pace) -> None:
    """After a burst each waits longer than the one before; time pays for them."""
    ann = bot("ann")
    assert waits(pace, ann, SHORT_GAMES_BURST) == [0.0] * SHORT_GAMES_BURST
    assert waits(pace, ann, 2) == [1 / SHORT_GAMES_PER_S, 2 / SHORT_GAMES_PER_S]
    assert pace.game_wait_s([ann], 60.0) == 0.0


def test_longer_games_never_wait(pace: Pace) -> None:
    """Not even those of a bot whose short games used its budget up."""
    ann = bot("ann")
    waits(pace, ann, SHORT_GAMES_BURST + 9)
    assert waits(pace, ann, 5, plies=SHORT_PLIES) == [0.0] * 5


def test_guests_of_an_address_share_a_budget_of_short_games(pace: Pace) -> None:
    """A new name brings nothing; other addresses, and bots with a token, have their own."""
    for number in range(SHORT_GAMES_BURST):
        waits(pace, bot(f"guest-{number}", "192.0.2.1"), 1)
    assert waits(pace, bot("new", "192.0.2.1"), 1) > [0.0]
    assert waits(pace, bot("far", "192.0.2.2"), 1) == [0.0]
    assert waits(pace, bot("ann"), 1) == [0.0]


def test_two_guests_of_one_address_pay_for_their_game_once(pace: Pace) -> None:
    """The game is one game."""
    pair = [bot("ann", "192.0.2.1"), bot("bob", "192.0.2.1")]
    for _ in range(SHORT_GAMES_BURST):
        pace.ended(pair, 0)
        assert pace.game_wait_s(pair, 0.0) == 0.0


def test_no_clock_runs_while_a_turn_waits() -> None:
    """The bot is asked later, with all of its time."""
    harness = Harness(Config(limits=replace(Limits(), moves_per_s=1.0)))
    seats = paired(harness)
    game = seats[0].of(Turn)[0].game
    for seat in seats:
        harness.say(seat, Seek())  # a second match, at which nothing is played
    answered = -1
    while (turn := last_turn(seats, game)).ply > answered:
        answered = turn.ply
        sow(harness, seats, turn)
    assert len(moves(seats[0], game)) == answered + 1
    harness.clock.pass_by(1.0)
    turn = last_turn(seats, game)
    assert turn.ply == answered + 1
    sow(harness, seats, turn)
    assert moves(seats[0], game)[-1].elapsed_ms == 0.0


def last_turn(seats: Sequence[FakeSeat], game: str) -> Turn:
    turns = (turn for seat in seats for turn in seat.of(Turn) if turn.game == game)
    return max(turns, key=lambda turn: turn.ply)


def sow(harness: Harness, seats: Sequence[FakeSeat], turn: Turn) -> None:
    asked = next(seat for seat in seats if turn in seat.of(Turn))
    harness.say(asked, Move(turn.game, turn.ply, turn.legal[-1]))


def moves(seat: FakeSeat, game: str) -> list[Moved]:
    return [moved for moved in seat.of(Moved) if moved.game == game]
