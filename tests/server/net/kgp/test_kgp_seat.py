"""A Kalah Game Protocol client at the server's tables, with a clock that the test moves."""

import random
from collections import OrderedDict
from collections.abc import Iterable

import pytest

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.kgp.actions import Policy
from mancala.protocol.kgp.interpreter import Interpreter
from mancala.protocol.kgp.lines import Command, parse
from mancala.protocol.rules import Board
from mancala.server.config.settings import Config
from mancala.server.net.arrivals.arrival import Arrival
from mancala.server.net.kgp.kgp_seat import ClientIdentity, KgpSeat
from mancala.server.net.limits.gate import Gate
from tests.server.fakes import FakeSeat, Harness, limited


class FakeWire:
    """Keeps the lines."""

    address = "192.0.2.7"

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.is_closed = False
        self.arrives: Arrival | None = None
        self.acknowledged_s: float | None = None

    def arrival(self, now: float, *, is_last: bool) -> Arrival:
        del is_last
        return self.arrives or Arrival.at(now)

    def write(self, lines: Iterable[str]) -> None:
        assert not self.is_closed
        self.commands += map(parse, lines)

    def close(self) -> None:
        self.is_closed = True

    def of(self, name: str) -> list[Command]:
        return [command for command in self.commands if command.name == name]


class SeatClient:
    """A Kalah Game Protocol client in a harness."""

    def __init__(
        self,
        harness: Harness,
        name: str = "kay",
        *,
        token: str | None = None,
        sessions: OrderedDict[tuple[str, str], str] | None = None,
    ) -> None:
        self.harness = harness
        self.wire = FakeWire()
        self.meter = Gate(limited()).meter("192.0.2.7", harness.clock.now())
        directory = ClientIdentity(
            harness.sessions,
            set(),
            sessions if sessions is not None else OrderedDict(),
            random.Random(1),
        )
        interpreter = Interpreter(
            Policy(games=1), pick=lambda choice: choice[0], directory=directory
        )
        self.seat = KgpSeat(
            self.wire,
            harness.sessions,
            interpreter,
            self.meter,
            now=harness.clock.now,
            call_at=harness.clock.call_at,
        )
        harness.sessions.on_open(self.seat)
        self.seat.greet()
        if token is not None:
            self.says(f"set auth:token {token}")
        self.says(f'set info:name "{name}"', "mode freeplay")

    @property
    def question(self) -> Command:
        return self.wire.of("state")[-1]

    def says(self, *lines: str) -> None:
        for line in lines:
            self.seat.hear(line)

    def answers(self, *lines: str) -> None:
        number = self.question.id
        self.says(*(f"1@{number} {line}" for line in lines))


@pytest.fixture
def harness() -> Harness:
    """A server where a move takes a second at most."""
    return Harness(Config(clock=TimeControl(move_ms=1000)))


def _bot(harness: Harness) -> FakeSeat:
    bot = harness.greet("bob")
    harness.say(bot, wire.Seek(games=1))
    return bot


def test_a_client_plays_a_whole_game_against_a_websocket_bot(harness: Harness) -> None:
    """Lobby, table and referee can't tell the difference."""
    client, bot = SeatClient(harness), _bot(harness)
    while not bot.of(wire.GameOver):
        if len(client.wire.of("state")) > len(client.wire.of("stop")):
            board = client.question.arguments[0]
            assert isinstance(board, Board)
            client.answers(f"move {board.legal()[-1] + 1}", "yield")
            harness.clock.pass_by(0.05)
        else:
            turn = bot.last(wire.Turn)
            harness.say(bot, wire.Move(turn.game, turn.ply, turn.legal[0]))
    assert bot.last(wire.GameOver).reason is wire.Reason.NORMAL
    assert len(bot.of(wire.MatchOver)) == 1
    stops = [command.ref for command in client.wire.of("stop")]
    assert stops == [command.id for command in client.wire.of("state")]


def test_spectators_see_a_clients_comment_beside_its_move(harness: Harness) -> None:
    """What it says of its thinking goes where a websocket bot's does, quotes and all."""
    client, bot = SeatClient(harness), _bot(harness)
    spectator = harness.greet("eve")
    harness.say(spectator, wire.Watch(bot.last(wire.GameStart).game))
    client.says(r'set info:comment "a \"fork\""')
    client.answers("move 1", "yield")
    info = spectator.last(wire.Moved).info
    assert info is not None
    assert info.comment == 'a "fork"'


def test_the_last_move_before_the_deadline_counts_without_a_yield(harness: Harness) -> None:
    """No time is forfeited: it is played, and the question stopped."""
    client, bot = SeatClient(harness), _bot(harness)
    client.answers("move 6", "move 2", "move 4")
    harness.clock.pass_by(1.0)
    assert bot.last(wire.Moved).pit == 3
    assert [command.ref for command in client.wire.of("stop")] == [client.question.id]


def test_a_yield_without_a_move_is_played_and_the_record_says_who_chose(harness: Harness) -> None:
    """The client lost its move; the game goes on."""
    client, bot = SeatClient(harness), _bot(harness)
    while not bot.of(wire.Moved):
        client.answers("yield")
        harness.clock.pass_by(0.1)
    moved = bot.last(wire.Moved)
    assert moved.pit == 0
    assert moved.info is not None
    assert "the server picked" in (moved.info.comment or "")


def test_a_client_that_hangs_after_a_stop_loses_as_wedged_and_is_closed(harness: Harness) -> None:
    """The other side is not kept waiting for a client that will never answer."""
    client, bot = SeatClient(harness), _bot(harness)
    client.answers("move 3")
    harness.clock.pass_by(1.0)
    assert client.wire.of("ping")
    assert client.question.id not in [command.ref for command in client.wire.of("yield")]
    harness.clock.pass_by(3.0)
    over = bot.last(wire.GameOver)
    assert over.reason is wire.Reason.WEDGED
    assert over.winner == bot.of(wire.GameStart)[0].seat
    assert over.evidence is not None
    assert client.wire.is_closed


def test_an_empty_pit_loses_with_evidence_like_any_bots(harness: Harness) -> None:
    """A legal number, an illegal pit."""
    client, bot = SeatClient(harness), _bot(harness)
    client.answers("move 3", "yield")
    client.answers("move 3")
    over = bot.last(wire.GameOver)
    assert over.reason is wire.Reason.ILLEGAL
    assert over.evidence is not None
    assert over.evidence.pit == 2


def test_two_clients_are_paired_and_seek_again_after_their_match(harness: Harness) -> None:
    """No request is needed: freeplay goes on as long as there are opponents."""
    one, other = SeatClient(harness, "one"), SeatClient(harness, "other")
    assert one.wire.of("state")
    assert not other.wire.of("state")
    one.says("goodbye")
    assert one.wire.is_closed
    assert not other.wire.is_closed
    third = SeatClient(harness, "third")
    assert other.wire.of("state") or third.wire.of("state")


def test_a_lost_connection_leaves_no_timer_behind(harness: Harness) -> None:
    """Nothing is written to a wire that is gone."""
    client, bot = SeatClient(harness), _bot(harness)
    client.answers("move 3")
    client.seat.lost()
    said = len(client.wire.commands)
    harness.clock.pass_by(60.0)
    assert len(client.wire.commands) == said
    assert bot.last(wire.GameOver).reason is wire.Reason.TIMEOUT


def test_a_client_with_a_token_that_comes_back_sits_down_at_its_game_again(
    harness: Harness,
) -> None:
    """A restarted client is asked the same question, and the game goes on."""
    sessions: OrderedDict[tuple[str, str], str] = OrderedDict()
    client = SeatClient(harness, token="t", sessions=sessions)  # noqa: S106  # no secret
    bot = _bot(harness)
    client.answers("move 1", "yield")
    turn = bot.last(wire.Turn)
    client.seat.lost()
    harness.say(bot, wire.Move(turn.game, turn.ply, turn.legal[0]))
    again = SeatClient(harness, token="t", sessions=sessions)  # noqa: S106  # no secret
    again.answers("move 2", "yield")
    assert [moved.pit for moved in bot.of(wire.Moved)][-1] == 1
    stranger = SeatClient(harness, token="wrong", sessions=sessions)  # noqa: S106  # no secret
    assert stranger.wire.is_closed


@pytest.mark.parametrize("token", ["wrong", None])
def test_a_stranger_does_not_end_the_session_kept_for_a_token(
    harness: Harness, token: str | None
) -> None:
    """Its owner resumes, after another has tried the name with a wrong token or none."""
    owner = harness.connect()
    harness.say(owner, wire.Hello(wire.VERSION, "ada", token="right"))  # noqa: S106  # no secret
    secret = owner.last(wire.Welcome).session
    harness.drop(owner)
    harness.tokens.reserved.add("ada")
    stranger = SeatClient(harness, "ada", token=token)
    assert stranger.wire.is_closed
    back = harness.greet("ada", resume=secret)
    assert back.last(wire.Welcome).resumed


def test_each_question_prepays_a_stream_of_moves(harness: Harness) -> None:
    """A client that names every move it thinks of never waits; one that says nothing else does."""
    client, _bot_seat = SeatClient(harness), _bot(harness)
    client.answers(*["move 1"] * 60)
    assert client.meter.wait_s(harness.clock.now()) == 0
    client.says(*["ok"] * 2000)
    assert client.meter.wait_s(harness.clock.now()) > 0


def test_a_client_that_is_cut_off_loses_its_game_and_is_told_why(harness: Harness) -> None:
    """It has overdrawn its budget for too long."""
    client, bot = SeatClient(harness), _bot(harness)
    client.seat.cut_off()
    assert bot.last(wire.GameOver).reason is wire.Reason.PROTOCOL
    assert "budget" in str(client.wire.of("error")[-1].arguments)
    assert client.wire.is_closed


def _held_up(harness: Harness) -> tuple[SeatClient, FakeSeat]:
    """Put a question to a client, and stall the server until after the flag."""
    client = SeatClient(harness)
    bot = _bot(harness)
    harness.clock.time += 1.2  # no timer has fired
    return client, bot


@pytest.mark.parametrize(("ago_s", "is_in_time"), [(0.5, True), (0.1, False)])
def test_a_line_counts_by_its_arrival_however_late_it_is_read(
    harness: Harness, ago_s: float, *, is_in_time: bool
) -> None:
    """The server was busy; the client was in time, or loses on time."""
    client, bot = _held_up(harness)
    client.wire.arrives = Arrival.at(harness.clock.time - ago_s)
    client.answers("move 3", "yield")
    if is_in_time:
        assert bot.last(wire.Moved).elapsed_ms == 700
    else:
        assert bot.last(wire.GameOver).reason is wire.Reason.TIMEOUT


def test_a_move_that_a_late_timer_makes_final_counts_by_its_own_arrival(harness: Harness) -> None:
    """The client named it in time, and thinks on; the timer before the flag fires after it."""
    client = SeatClient(harness)
    bot = _bot(harness)
    harness.clock.pass_by(0.5)
    client.answers("move 3")
    harness.clock.time += 0.7  # no timer has fired
    harness.clock.pass_by(0.0)
    assert (bot.last(wire.Moved).pit, bot.last(wire.Moved).elapsed_ms) == (2, 500)
