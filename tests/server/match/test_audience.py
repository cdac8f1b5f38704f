"""Spectators pay for what they are shown, and are shown less when they can't."""

from collections.abc import Sequence

import pytest

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import (
    VERSION,
    ErrorCode,
    GameOver,
    GameStart,
    Hello,
    Join,
    Message,
    Moved,
    Resign,
    Seek,
    Turn,
    Unwatch,
    Watch,
)
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Limits
from mancala.server.match import audience
from mancala.server.match.audience import BLUR_S, LEAST_PAUSE_S, TOGETHER_S, TOGETHER_SHARE
from mancala.server.net.framing import text_frame
from tests.server.fakes import FakeSeat, Harness, answer, paired

VIEWERS = 64


class PayingSeat(FakeSeat):
    """A spectator with a budget."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 0.0
        self.wait_s = 0.0

    def charge_shown(self, price: float) -> float:
        self.left -= price
        return self.shown_wait_s()

    def shown_wait_s(self) -> float:
        return self.wait_s if self.left < 0 else 0.0


class WrittenSeat(FakeSeat):
    """A spectator that keeps what is written to it, and encodes what comes without an encoding."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []

    def show(self, moves: Sequence[tuple[Moved, bytes]], framed: bytes) -> None:
        self.writes.append(framed)
        super().show(moves, framed)

    def send(self, message: Message, frame: bytes | None = None) -> None:
        super().send(message, frame or codec.encode(message))


@pytest.fixture
def eve(harness: Harness) -> PayingSeat:
    """Return a spectator who can pay nothing, and waits for three seconds each time."""
    seat = PayingSeat()
    harness.sessions.on_open(seat)
    seat.wait_s = 3.0
    return seat


@pytest.fixture
def harness() -> Harness:
    """A server with a ladder, whose bots have ten minutes a move."""
    clock = TimeControl(move_ms=600_000)
    return Harness(Config(clock=clock, ladder=(LadderSettings(name="main", clock=clock),)))


def test_a_spectator_that_overdraws_misses_moves_and_is_then_shown_the_whole_game(
    harness: Harness, eve: PayingSeat
) -> None:
    """The players hear every move as before."""
    ann, bob = paired(harness)
    harness.say(eve, Hello(VERSION, "eve"), Watch(ann.last(GameStart).game))
    for _ in range(4):
        answer(harness, asked(ann, bob))
    assert len(ann.of(Moved)) == len(bob.of(Moved)) == 4
    assert [start.moves for start in eve.of(GameStart)] == [()]
    assert not eve.of(Moved)
    eve.left = 100.0
    harness.clock.pass_by(3.0)
    assert eve.last(GameStart).moves == tuple(moved.pit for moved in ann.of(Moved))
    answer(harness, asked(ann, bob))
    assert [moved.ply for moved in eve.of(Moved)] == [4]


def test_a_spectator_that_still_cannot_pay_waits_again(harness: Harness, eve: PayingSeat) -> None:
    """It waits at least for a while, however little is missing."""
    eve.wait_s = LEAST_PAUSE_S / 10
    ann, bob = paired(harness)
    harness.say(eve, Hello(VERSION, "eve"), Watch(ann.last(GameStart).game))
    answer(harness, asked(ann, bob))
    harness.clock.pass_by(0.9 * LEAST_PAUSE_S)
    eve.left = 100.0
    assert len(eve.of(GameStart)) == 1
    harness.clock.pass_by(0.2 * LEAST_PAUSE_S)
    assert len(eve.of(GameStart)) == 2


def test_how_a_game_ended_is_shown_also_to_those_who_missed_moves(
    harness: Harness, eve: PayingSeat
) -> None:
    """And nothing after it."""
    ann, bob = paired(harness, Seek(games=1))
    game = ann.last(GameStart).game
    harness.say(eve, Hello(VERSION, "eve"), Watch(game))
    answer(harness, asked(ann, bob))
    harness.say(ann, Resign(game))
    assert eve.last(GameOver) == bob.last(GameOver)
    eve.left = 100.0
    harness.clock.pass_by(60.0)
    assert len(eve.of(GameStart)) == 1


@pytest.mark.parametrize("games", [1, 2])
def test_one_who_comes_while_a_game_ends_hears_that_it_is_over(
    harness: Harness, games: int
) -> None:
    """It heard nothing if the match ended with it, and a page waited for the end for ever."""
    ann, _ = paired(harness, Seek(games=games))
    game, eve, fay = ann.last(GameStart).game, harness.greet("eve"), harness.greet("fay")
    harness.journal.is_slow = True
    harness.say(ann, Resign(game))
    harness.say(eve, Watch(game))
    harness.say(fay, Watch(game), Unwatch(game))
    for _ in range(games):  # the end, and the next beginning
        harness.journal.settle()
    assert eve.errors == [(ErrorCode.UNKNOWN_GAME, game)]
    assert not fay.errors


def test_one_who_unwatches_while_it_waits_is_shown_nothing(
    harness: Harness, eve: PayingSeat
) -> None:
    """Neither moves nor the end."""
    ann, bob = paired(harness, Seek(games=1))
    game = ann.last(GameStart).game
    harness.say(eve, Hello(VERSION, "eve"), Watch(game))
    harness.say(eve, Unwatch())
    eve.left = 100.0
    harness.clock.pass_by(60.0)
    harness.say(ann, Resign(game))
    assert (len(eve.of(GameStart)), eve.of(GameOver), bob.of(GameOver) != []) == (1, [], True)


def test_a_spectator_of_a_ladder_is_shown_a_game_as_soon_as_it_can_pay(
    harness: Harness, eve: PayingSeat
) -> None:
    """A game that is over by then is not mentioned."""
    eve.left = -1.0
    harness.say(eve, Hello(VERSION, "eve"), Watch(ladder="main"))
    ann, bob = harness.greet("ann"), harness.greet("bob")
    harness.say(ann, Join("main"))
    harness.say(bob, Join("main"))
    harness.clock.pass_by(0.0)
    harness.say(ann, Resign(ann.last(GameStart).game))
    assert (eve.of(GameStart), eve.of(GameOver), len(bob.of(GameOver))) == ([], [], 1)
    eve.left = 100.0
    harness.clock.pass_by(3.0)
    assert [start.game for start in eve.of(GameStart)] == [ann.last(GameStart).game]


def test_moves_of_a_fast_game_are_shown_together_the_first_immediately(harness: Harness) -> None:
    """Each write to a spectator cost as much as the move; 200 of them ten times as much."""
    ann, bob = paired(harness)
    eve = harness.greet("eve")
    harness.say(eve, Watch(ann.last(GameStart).game))
    seen = []
    for _ in range(4):
        answer(harness, asked(ann, bob))
        seen.append(len(eve.of(Moved)))
    harness.clock.pass_by(TOGETHER_S)
    assert (seen, eve.of(Moved)) == ([1, 1, 1, 1], ann.of(Moved))


def test_a_seconds_moves_of_a_game_too_fast_to_be_followed_are_shown_together(
    harness: Harness,
) -> None:
    """200 viewers cost half as much as the moves; a game that slows down is shown as before."""
    ann, bob = paired(harness)
    eve = harness.greet("eve")
    harness.say(eve, Watch(ann.last(GameStart).game))
    seen = []
    for moves, wait_s in ((8, TOGETHER_S), (1, BLUR_S / 2), (0, BLUR_S / 2), (1, TOGETHER_S)):
        for _ in range(moves):
            answer(harness, asked(ann, bob))
        harness.clock.pass_by(wait_s)
        seen.append(len(eve.of(Moved)))
    assert seen == [8, 8, 9, 10]


def test_a_move_just_before_a_games_end_makes_no_game_too_fast(harness: Harness) -> None:
    """The next game's first moves came up to a second late."""
    ann, bob = paired(harness, Seek(games=2))
    eve = harness.greet("eve")
    harness.say(eve, Watch(ann.last(GameStart).game))
    answer(harness, asked(ann, bob))
    harness.clock.pass_by(TOGETHER_S / 10)
    answer(harness, asked(ann, bob))
    harness.say(ann, Resign(ann.last(GameStart).game))
    harness.say(eve, Watch(ann.last(GameStart).game))
    answer(harness, bob)
    harness.clock.pass_by(TOGETHER_S)
    assert eve.of(Moved) == ann.of(Moved)


def test_moves_are_encoded_and_framed_once_however_many_watch(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A move cost the referee twice its time with 64 viewers, and four times with 200."""
    encoded, framed, encode = list[type[Message]](), list[bytes](), codec.encode

    def encode_counted(message: Message) -> bytes:
        encoded.append(type(message))
        return encode(message)

    def frame_counted(message: bytes) -> bytes:
        framed.append(message)
        return text_frame(message)

    ann, bob = paired(harness)
    viewers = [WrittenSeat() for _ in range(VIEWERS)]
    for number, viewer in enumerate(viewers):
        harness.sessions.on_open(viewer)
        harness.say(viewer, Hello(VERSION, f"viewer-{number}"), Watch(ann.last(GameStart).game))
    monkeypatch.setattr(codec, "encode", encode_counted)
    monkeypatch.setattr(audience, "text_frame", frame_counted)
    for _ in range(6):
        answer(harness, asked(ann, bob))
    harness.clock.pass_by(TOGETHER_S)
    assert (encoded.count(Moved), len(framed)) == (6, 6)
    assert {tuple(map(id, viewer.writes)) for viewer in viewers} == {
        tuple(map(id, viewers[0].writes))
    }
    assert len(viewers[0].writes) == 2
    assert all(viewer.of(Moved) == ann.of(Moved) for viewer in viewers)


def test_one_who_comes_later_is_shown_no_move_twice(harness: Harness) -> None:
    """What waits to be shown with others is in the start already; who was there has it before."""
    ann, bob = paired(harness)
    game = ann.last(GameStart).game
    eve, fay = harness.greet("eve"), harness.greet("fay")
    harness.say(eve, Watch(game))
    for _ in range(3):
        answer(harness, asked(ann, bob))
    harness.say(fay, Watch(game))
    assert (len(fay.last(GameStart).moves), len(eve.of(Moved))) == (3, 1)
    harness.clock.pass_by(TOGETHER_S)
    assert (len(eve.of(Moved)), fay.of(Moved)) == (3, [])
    answer(harness, asked(ann, bob))
    harness.clock.pass_by(TOGETHER_S)
    assert [moved.ply for moved in fay.of(Moved)] == [3]


def test_one_who_comes_again_and_again_leaves_the_others_together(harness: Harness) -> None:
    """Each time all were shown what waited, so that each of 200 cost a write a move again."""
    ann, bob = paired(harness)
    eve, fay = harness.greet("eve"), harness.greet("fay")
    harness.say(eve, Watch(ann.last(GameStart).game))
    for _ in range(4):
        answer(harness, asked(ann, bob))
        harness.say(fay, Watch(ann.last(GameStart).game))
    answer(harness, asked(ann, bob))
    assert len(eve.of(Moved)) == 1
    harness.clock.pass_by(TOGETHER_S)
    assert eve.of(Moved) == ann.of(Moved)
    assert [moved.ply for moved in fay.of(Moved)] == [4]


def test_all_moves_are_shown_before_the_end(harness: Harness) -> None:
    """However fast they came."""
    ann, bob = paired(harness, Seek(games=1))
    eve = harness.greet("eve")
    harness.say(eve, Watch(ann.last(GameStart).game))
    for _ in range(3):
        answer(harness, asked(ann, bob))
    harness.say(ann, Resign(ann.last(GameStart).game))
    assert [type(message) for message in eve.told[-4:]] == [Moved, Moved, Moved, GameOver]


def test_much_is_not_kept_to_be_shown_together(harness: Harness) -> None:
    """A bot may report kilobytes with each move, and a connection leave a few unread."""
    harness.reload(limits=Limits(outgoing_bytes=TOGETHER_SHARE))
    ann, bob = paired(harness)
    eve = harness.greet("eve")
    harness.say(eve, Watch(ann.last(GameStart).game))
    for _ in range(3):
        answer(harness, asked(ann, bob))
    assert eve.of(Moved) == ann.of(Moved)


def asked(*players: FakeSeat) -> FakeSeat:
    plies = [player.last(Turn).ply if player.of(Turn) else -1 for player in players]
    return players[plies.index(max(plies))]
