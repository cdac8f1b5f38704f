"""How many turns a second are put to one bot."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Move, Moved, Seek, Turn
from mancala.protocol.rules import KALAH
from mancala.server.config.settings import Config, Limits
from mancala.server.match.move_pace import BOTS, BURST_S, MovePace
from mancala.server.match.participant import Participant
from mancala.server.model.match import Match, Terms
from tests.server.fakes import UTC, FakeSeat, Harness, limited, paired

PER_S = 10.0
LIMITS = limited(moves_per_s=PER_S)
BURST = round(BURST_S * PER_S)
TERMS = Terms(KALAH, TimeControl(move_ms=100), rated=True, games=1)


def player(name: str, address: str = "127.0.0.1", *, matches: int = 2) -> Participant:
    """Return a guest that plays some matches, from an address."""
    player = Participant(name, "hash", None)
    player.address = address
    player.matches = {
        str(number): Match(str(number), (name, "other"), TERMS, UTC) for number in range(matches)
    }
    return player


def test_turns_beyond_the_pace_wait() -> None:
    """After a burst each waits longer than the one before; another bot does not notice it."""
    pace, ann = MovePace(LIMITS), player("ann", "127.0.0.1")
    assert [pace.wait_s(ann, 0.0) for _ in range(BURST)] == [0.0] * BURST
    assert [pace.wait_s(ann, 0.0) for _ in range(2)] == [1 / PER_S, 2 / PER_S]
    assert pace.wait_s(player("bob", "127.0.0.1"), 0.0) == 0.0
    assert pace.wait_s(ann, 60.0) == 0.0


def test_a_bot_at_one_table_has_no_pace() -> None:
    """However quick it is, its opponent has to answer before it is asked again."""
    pace, ann = MovePace(LIMITS), player("ann", matches=1)
    assert {pace.wait_s(ann, 0.0) for _ in range(2 * BURST)} == {0.0}


def test_guests_of_an_address_share_a_pace() -> None:
    """That of some bots; on the server's own machine, and with a token, each has its own."""
    pace = MovePace(LIMITS)
    for number in range(BOTS):
        for _ in range(BURST):
            pace.wait_s(player(f"guest-{number}", "192.0.2.1"), 0.0)
    assert pace.wait_s(player("new", "192.0.2.1"), 0.0) > 0.0
    assert pace.wait_s(player("far", "192.0.2.2"), 0.0) == 0.0
    assert pace.wait_s(Participant("ann", "hash", None, is_guest=False), 0.0) == 0.0


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
    """Return the latest question of a game."""
    turns = (turn for seat in seats for turn in seat.of(Turn) if turn.game == game)
    return max(turns, key=lambda turn: turn.ply)


def sow(harness: Harness, seats: Sequence[FakeSeat], turn: Turn) -> None:
    """Sow the last legal pit."""
    asked = next(seat for seat in seats if turn in seat.of(Turn))
    harness.say(asked, Move(turn.game, turn.ply, turn.legal[-1]))


def moves(seat: FakeSeat, game: str) -> list[Moved]:
    """Return the moves of a game that a bot was told."""
    return [moved for moved in seat.of(Moved) if moved.game == game]
