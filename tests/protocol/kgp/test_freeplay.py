"""Questions put to a Kalah Game Protocol client: how they are answered, ended and given up."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs

from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.kgp.actions import Action, Close, Fault, Policy, Relay, Say, Speaker
from mancala.protocol.kgp.freeplay import LONGEST_PAUSE, MOST_MOVES, PICKED, UNHURRIED, Freeplay
from mancala.protocol.kgp.lines import Command, KgpError
from mancala.protocol.messages import GameOver, GameStart, Info, Move, Moved, Opponent, Reason, Turn
from mancala.protocol.rules import KALAH, Board

BOARD = Board.start()
CLOCKS = ClockState(None, (930, 930))
START = GameStart(
    game="g1",
    match="m1",
    seat=1,
    rules=KALAH,
    clock=TimeControl(move_ms=1000),
    opponent=Opponent("bob"),
    state=BOARD.state,
    moves=(),
    clocks=CLOCKS,
    names=("bob", "ada"),
)
AFTER = BOARD.sow(0).board
QUESTION = Turn("g1", 1, AFTER.state, AFTER.legal(), CLOCKS, 1000)
POLICY = Policy(stop_delay_s=0.05, ping_s=20.0, pong_s=2.0)


class FreeplayClient:
    """A client that plays one game, and the numbers of what it was told."""

    def __init__(self, *, question: Turn = QUESTION, start: GameStart = START) -> None:
        self.speaker = Speaker()
        self.freeplay = Freeplay(POLICY, self.speaker, lambda legal: legal[-1])
        self.freeplay.begin(0.0)
        self.freeplay.start_game(start, 0.0)
        self.lines = said(self.freeplay.ask(question, 0.0))
        self.number = self.speaker.last_id

    def move(self, pit: object, now: float = 0.1, *, ref: int | None = None) -> list[Action]:
        """Answer with a pit, counted from 1."""
        command = Command("move", (pit,), 1, ref or self.number)  # type: ignore[arg-type]  # tests say anything
        return self.freeplay.move(command, now)

    def yields(self, now: float = 0.2) -> list[Action]:
        return self.freeplay.yielded(Command("yield", (), 3, self.number), now)

    def yields_bare(self, comment: str) -> list[object]:
        """End each answer without a move; return what is passed on after the last one."""
        self.freeplay.comment = comment
        self.pauses: list[float] = []
        now = 0.0
        while not (answers := relayed(self.yields(now))):
            self.pauses.append(round(self.freeplay.deadline - now, 4))
            now = self.freeplay.deadline
            self.expire(now)
            self.number = self.speaker.last_id
        return answers

    def expire(self, now: float) -> list[Action]:
        return self.freeplay.expire(now)


def said(actions: list[Action]) -> list[str]:
    """List the lines without their numbers."""
    return [action.line.split(" ", 1)[1].strip() for action in actions if isinstance(action, Say)]


def relayed(actions: list[Action]) -> list[object]:
    return [action.message for action in actions if isinstance(action, Relay)]


def test_a_client_that_streams_moves_is_taken_at_its_last_one() -> None:
    """Its question is stopped; a client that names as many in more time may go on."""
    hasty, steady = FreeplayClient(), FreeplayClient()
    moves = [hasty.move(1 + n % 2) for n in range(MOST_MOVES + 20)]
    stopped = next(actions for actions in moves if said(actions))
    assert said(stopped) == ["stop", "ping"]
    assert relayed(stopped) == [Move("g1", 1, MOST_MOVES % 2)]
    assert len([actions for actions in moves if relayed(actions)]) < 20
    assert not hasty.freeplay.is_open(hasty.number)
    late = b"7@%d move 1\r\n" % hasty.number
    written = b'set info:comment "' + 2 * late + b"9@99 move 1\n" + 3 * late + b"11 pong\n" + late
    kept = b'set info:comment "' + late + b"9@99 move 1\n11 pong\n"
    assert hasty.freeplay.skip_late(written) == kept
    assert steady.freeplay.skip_late(written) == written
    for n in range(MOST_MOVES + 20):
        assert not said(steady.move(1, 0.1 + n * 0.8 / (MOST_MOVES + 20)))


def moved_at(ply: int) -> Moved:
    return Moved("g1", ply, 1, 0, 0, False, AFTER.state, CLOCKS, 1000, 0)


def stops(client: FreeplayClient, moves: int, now: float) -> list[bool]:
    """Return for each of several moves whether it ended its question."""
    return [bool(said(client.move(1, now))) for _ in range(moves)]


def test_a_question_takes_128_moves_and_64_a_second() -> None:
    """One more is a stream, and ends the question."""
    assert stops(FreeplayClient(), 129, 0.0) == [False] * 128 + [True]
    later = FreeplayClient()
    later.freeplay.ask(structs.replace(QUESTION, ply=3, deadline_ms=60_000), 10.0)
    later.number = later.speaker.last_id
    assert stops(later, 193, 11.0) == [False] * 192 + [True]


@pytest.mark.parametrize("moves", [3, 128])
def test_what_was_no_stream_leaves_no_late_moves_to_skip(moves: int) -> None:
    """A client that named few moves is read line by line."""
    client = FreeplayClient()
    stops(client, moves, 0.0)
    client.expire(0.97)
    late = b"x\n" + 2 * (b"7@%d move 1\n" % client.number)
    assert client.freeplay.skip_late(late) == late


def test_eight_moves_are_passed_on_as_they_come_and_then_one_in_50_ms(
    client: FreeplayClient,
) -> None:
    """The arena is not flooded by a client that changes its mind."""
    times = [0.0] * 9 + [0.049, 0.05, 0.06, 0.2, 0.21]
    passed_on = [bool(relayed(client.move(1, now))) for now in times]
    assert passed_on == [True] * 8 + [False, False, True, False, True, False]


@pytest.fixture
def client() -> FreeplayClient:
    return FreeplayClient()


def test_a_turn_becomes_a_state_with_the_client_as_south(client: FreeplayClient) -> None:
    """Seat 1 sees its own row first; seconds are whole and milliseconds stand beside them."""
    assert client.lines == [
        "set time:clock 1",
        "set arena:deadline 1000",
        "state <6,0,0,4,4,4,4,4,4,0,5,5,5,5,4>",
    ]


def test_a_bank_is_told_as_one_with_the_opponents(client: FreeplayClient) -> None:
    """With a bank the mode is absolute and both clocks are stated."""
    bank = structs.replace(START, clock=TimeControl(None, bank_ms=60_000))
    question = structs.replace(QUESTION, clock=ClockState((42_500, 60_000), (0, 0)))
    assert FreeplayClient(start=bank, question=question).lines[:2] == [
        "set time:clock 1",
        "set time:opclock 42",
    ]
    assert said(client.freeplay.start_game(bank, 0.0))[-1] == 'set time:mode "absolute"'


@pytest.mark.parametrize(
    ("deadline_ms", "seconds"), [(400, 1), (1999, 1), (2000, 2), (2999, 2), (3000, 3)]
)
def test_seconds_are_rounded_down_and_at_least_one(deadline_ms: int, seconds: int) -> None:
    """For the opponent's bank too."""
    clock = ClockState((1000 * seconds + 999, 9), (0, 0))
    question = structs.replace(QUESTION, deadline_ms=deadline_ms, clock=clock)
    assert FreeplayClient(question=question).lines[:2] == [
        f"set time:clock {seconds}",
        f"set time:opclock {seconds}",
    ]
    exact = structs.replace(question, clock=ClockState((42_000, 9), (0, 0)))
    assert FreeplayClient(question=exact).lines[1] == "set time:opclock 42"


def test_a_short_question_is_ended_a_tenth_of_its_time_early() -> None:
    """A long one 50 ms early."""
    for deadline_ms, flag in ((100, 0.09), (10_000, 9.95)):
        client = FreeplayClient(question=structs.replace(QUESTION, deadline_ms=deadline_ms))
        assert client.freeplay.deadline == pytest.approx(flag)


def test_the_highest_pit_is_a_move(client: FreeplayClient) -> None:
    """Pits are counted from 1."""
    assert relayed(client.move(6)) == [Move("g1", 1, 5, provisional=True)]


def test_moves_are_provisional_and_the_yield_makes_the_last_one_final(
    client: FreeplayClient,
) -> None:
    """Each better move is passed on immediately, counted from 0."""
    assert relayed(client.move(3)) == [Move("g1", 1, 2, provisional=True)]
    assert relayed(client.move(5)) == [Move("g1", 1, 4, provisional=True)]
    assert relayed(client.yields()) == [Move("g1", 1, 4)]


def test_no_stop_comes_right_after_a_yield(client: FreeplayClient) -> None:
    """The stop waits 50 ms, though the next question has gone out before (clients hang else)."""
    client.move(3)
    number = client.number
    assert said(client.yields(0.2)) == []
    again = structs.replace(QUESTION, ply=2)
    assert not [line for line in said(client.freeplay.ask(again, 0.2001)) if "stop" in line]
    assert client.freeplay.deadline == 0.25
    assert client.expire(0.2499) == []
    (stop,) = client.expire(0.25)
    assert isinstance(stop, Say)
    assert stop.line == f"{client.speaker.last_id}@{number} stop\r\n"


def test_a_late_timer_sends_each_stop_once(client: FreeplayClient) -> None:
    """What was due before is sent, and then forgotten."""
    client.move(3)
    client.yields(0.2)
    assert said(client.expire(0.3)) == ["stop"]
    assert client.expire(0.4) == []


def test_a_yield_without_a_move_is_asked_the_same_again(client: FreeplayClient) -> None:
    """The stock client in Java lost its move; after the stop it gets the question anew."""
    first = client.number
    assert client.yields(0.2) == []
    assert said(client.expire(0.25)) == [
        "stop",
        "set time:clock 1",
        "set arena:deadline 700",
        f"state {AFTER.text}",
    ]
    client.number = client.speaker.last_id
    assert client.move(3, 0.3, ref=first) == []
    assert relayed(client.move(5, 0.3)) == [Move("g1", 1, 4, provisional=True)]
    assert relayed(client.yields(0.3)) == [Move("g1", 1, 4)]


@pytest.mark.parametrize(
    ("news", "is_repeated"),
    [
        (lambda game: game.end_game(GameOver("g1", 0, (25, 23), Reason.RESIGNED), 0.21), False),
        (lambda game: game.moved(moved_at(1), 0.21), False),
        (lambda game: game.moved(moved_at(0), 0.21), True),
        (lambda game: game.ask(structs.replace(QUESTION, ply=3), 0.21), False),
    ],
    ids=["game over", "its move", "an earlier move", "the next question"],
)
def test_no_question_is_put_again_after_its_move_or_game(
    client: FreeplayClient, news: Callable[[Freeplay], object], *, is_repeated: bool
) -> None:
    """The referee answered for the client, or the game is over: only the stop is left."""
    client.yields(0.2)
    news(client.freeplay)
    assert (f"state {AFTER.text}" in said(client.expire(0.25))) == is_repeated


def test_no_question_is_put_again_after_its_flag(client: FreeplayClient) -> None:
    """A server that comes late picks a pit; the client is not taken for a wedged one."""
    client.yields(0.2)
    actions = client.expire(0.96)
    assert said(actions) == ["stop"]
    (answer,) = relayed(actions)
    assert isinstance(answer, Move)
    assert answer.pit == 5


def test_a_client_that_names_no_move_is_asked_ever_later_while_its_clock_runs() -> None:
    """It has all its time, and is not flooded with questions."""
    client = FreeplayClient(question=structs.replace(QUESTION, deadline_ms=300_000))
    client.yields_bare("")
    assert client.pauses[:2] == [0.05, 0.0563]
    assert client.pauses[UNHURRIED] == 0.1
    assert max(client.pauses) == LONGEST_PAUSE * 0.05
    assert sum(client.pauses) == pytest.approx(299.9, abs=0.01)
    assert len(client.pauses) < 800


def test_a_comment_of_a_lost_move_goes_with_the_move_that_comes_after_all(
    client: FreeplayClient,
) -> None:
    """The client said it once, for the position that it is asked about again."""
    client.freeplay.comment = "oops"
    client.yields(0.2)
    client.expire(0.25)
    client.number = client.speaker.last_id
    client.move(2, 0.3)
    assert relayed(client.yields(0.3)) == [Move("g1", 1, 1, info=Info(comment="oops"))]


def test_a_client_that_never_names_a_move_gets_one_picked_that_says_so(
    client: FreeplayClient,
) -> None:
    """The record shows that the server chose, and keeps what the client said."""
    answers = client.yields_bare("oops")
    assert answers == [Move("g1", 1, 5, info=Info(comment=f"{PICKED} oops"))]


def test_a_client_that_yielded_and_then_says_nothing_gets_a_move_picked_before_its_flag(
    client: FreeplayClient,
) -> None:
    """It was asked a last time; that does not cost it the game."""
    client.yields(0.88)
    assert f"state {AFTER.text}" in said(client.expire(0.93))
    actions = client.expire(0.95)
    assert said(actions) == ["stop", "ping"]
    assert relayed(actions) == [Move("g1", 1, 5, info=Info(comment=PICKED))]


def test_shortly_before_the_flag_a_move_is_picked_without_a_further_question(
    client: FreeplayClient,
) -> None:
    """There is no time to ask again."""
    (answer,) = relayed(client.yields(0.94))
    assert isinstance(answer, Move)
    assert answer.pit == 5


def test_a_comment_is_cut_to_2000_characters(client: FreeplayClient) -> None:
    """The server's remark counts as well."""
    (answer,) = client.yields_bare("x" * 2000)
    assert isinstance(answer, Move)
    assert answer.info is not None
    assert len(answer.info.comment or "") == 2000


def test_a_comment_goes_with_the_next_move_and_no_other(client: FreeplayClient) -> None:
    """Spectators see a comment beside the move it was made for."""
    client.freeplay.comment = "a fork"
    client.move(1)
    (answer,) = relayed(client.yields())
    assert answer == Move("g1", 1, 0, info=Info(comment="a fork"))
    assert not client.freeplay.comment


@pytest.mark.parametrize("ref", [None, 2, 10**9])
def test_answers_to_no_open_question_come_to_nothing(
    client: FreeplayClient, ref: int | None
) -> None:
    """A move without a reference, or with an old or unknown one, is ignored."""
    assert client.freeplay.move(Command("move", (1,), 1, ref), 0.1) == []
    assert client.freeplay.yielded(Command("yield", (), 1, ref), 0.1) == []


def test_a_second_yield_comes_to_nothing(client: FreeplayClient) -> None:
    """The question is closed with the first."""
    client.move(1)
    assert client.yields()
    assert client.yields() == []
    assert client.move(2) == []


@pytest.mark.parametrize("pit", [0, 7, -1, 1.5, "one", BOARD])
def test_what_names_no_pit_is_no_move(client: FreeplayClient, pit: object) -> None:
    """The client gets the error; the arena does not."""
    with pytest.raises(KgpError, match="the number of a pit"):
        client.move(pit)


def test_a_pit_that_is_empty_is_the_referees_business() -> None:
    """An illegal move is passed on as it is: the referee names it with its evidence."""
    empty = FreeplayClient(question=replace_state(QUESTION))
    assert relayed(empty.move(1)) == [Move("g1", 1, 0, provisional=True)]


def replace_state(question: Turn) -> Turn:
    """Empty South's first pit."""
    board = replace(AFTER, pits=(AFTER.pits[0], (0, 4, 4, 4, 4, 8)))
    return structs.replace(question, state=board.state, legal=board.legal())


def test_the_last_move_is_final_shortly_before_the_flag_falls(client: FreeplayClient) -> None:
    """The arena's flag never falls on a client that has named a move."""
    client.move(3)
    assert client.freeplay.deadline == pytest.approx(0.95)
    actions = client.expire(0.97)
    assert said(actions) == ["stop", "ping"]
    assert relayed(actions) == [Move("g1", 1, 2)]


def test_a_first_move_in_the_last_moment_is_final_at_once(client: FreeplayClient) -> None:
    """There is no time left for a better one."""
    assert client.expire(0.95) == []
    actions = client.move(3, 0.97)
    assert said(actions) == ["stop", "ping"]
    assert relayed(actions) == [Move("g1", 1, 2)]


def test_a_client_that_does_not_answer_the_ping_after_a_stop_is_wedged(
    client: FreeplayClient,
) -> None:
    """Two seconds after the ping it is named, and the connection closed."""
    client.move(3)
    client.expire(0.95)
    client.freeplay.ask(structs.replace(QUESTION, ply=3, deadline_ms=60_000), 1.0)
    assert client.expire(2.94) == []
    fault, *farewell, close = client.expire(2.95)
    assert fault == Fault(Reason.WEDGED, "no pong within 2 s")
    assert said(farewell) == ['error "no pong within 2 s"', "goodbye"]
    assert close == Close()


def test_a_client_that_leaves_the_next_question_without_a_move_is_wedged(
    client: FreeplayClient,
) -> None:
    """With short clocks the next question tells sooner than the ping."""
    client.move(3)
    client.expire(0.95)
    client.freeplay.ask(structs.replace(QUESTION, ply=3), 1.0)
    fault, *_ = client.expire(1.95)
    assert fault == Fault(Reason.WEDGED, "neither pong nor move since it was stopped")


def test_a_client_that_answers_the_ping_and_then_thinks_too_long_is_only_late(
    client: FreeplayClient,
) -> None:
    """That is the flag's business: it lives, so it isn't wedged."""
    client.move(3)
    client.expire(0.95)
    client.freeplay.pong(Command("pong", (), 5, client.speaker.last_id), 0.96)
    client.freeplay.ask(structs.replace(QUESTION, ply=3), 1.0)
    assert client.expire(1.95) == []


def test_a_move_the_referee_made_takes_the_question_back(client: FreeplayClient) -> None:
    """When the flag fell first, the question is stopped; later moves are ignored."""
    assert said(client.freeplay.moved(moved_at(1), 1.0)) == ["stop", "ping"]
    assert client.move(3, 1.01) == []


@pytest.mark.parametrize("ply", [1, 2])
def test_a_move_takes_back_the_questions_of_its_own_game(client: FreeplayClient, ply: int) -> None:
    """Those of other games stay open, an older one of this game does not."""
    numbers = {"g1": client.number}
    for game in ("g0", "g2"):
        client.freeplay.start_game(structs.replace(START, game=game), 0.0)
        client.freeplay.ask(structs.replace(QUESTION, game=game), 0.0)
        numbers[game] = client.speaker.last_id
    assert said(client.freeplay.moved(moved_at(ply), 1.0)) == ["stop", "ping"]
    is_open = {game: client.freeplay.is_open(number) for game, number in numbers.items()}
    assert is_open == {"g0": True, "g1": False, "g2": True}


def test_an_opponents_move_takes_nothing_back(client: FreeplayClient) -> None:
    """Only the question itself, or an older one, is closed by a move."""
    assert client.freeplay.moved(moved_at(0), 0.1) == []
    assert client.move(3)


@pytest.mark.parametrize(
    ("winner", "reason", "told"),
    [
        (1, Reason.NORMAL, "won 18 30 normal"),
        (0, Reason.TIMEOUT, "lost 18 30 timeout"),
        (None, Reason.NORMAL, "drawn 18 30 normal"),
        (None, Reason.ABORTED, "void 18 30 aborted"),
    ],
)
def test_the_end_of_a_game_is_told_in_an_option_of_our_own(
    client: FreeplayClient, winner: int | None, reason: Reason, told: str
) -> None:
    """From the client's side: its own store first."""
    actions = client.freeplay.end_game(GameOver("g1", winner, (30, 18), reason), 0.5)
    assert said(actions) == ["stop", "ping", f'set arena:result "{told}"']
    assert not client.freeplay.is_playing


def test_a_client_in_the_first_seat_loses_to_the_second() -> None:
    """The verdict is the client's own."""
    client = FreeplayClient(start=structs.replace(START, seat=0))
    actions = client.freeplay.end_game(GameOver("g1", 1, (18, 30), Reason.NORMAL), 0.5)
    assert said(actions)[-1] == 'set arena:result "lost 18 30 normal"'


def test_an_idle_client_is_pinged_and_one_that_thinks_is_not() -> None:
    """A client with a single thread cannot answer while it thinks."""
    thinking = FreeplayClient(question=structs.replace(QUESTION, deadline_ms=100_000))
    assert thinking.expire(20.0) == []
    thinking.move(1, 21.0)
    thinking.yields(21.0)
    thinking.expire(21.05)
    assert thinking.expire(40.9) == []
    assert said(thinking.expire(45.0)) == ["ping"]


def test_every_line_has_a_fresh_even_number(client: FreeplayClient) -> None:
    """A client that sees a number twice ignores the second question."""
    numbers = []
    for ply in range(3, 9, 2):
        actions = client.freeplay.ask(structs.replace(QUESTION, ply=ply), ply)
        numbers += [
            int(a.line.partition(" ")[0].partition("@")[0]) for a in actions if isinstance(a, Say)
        ]
    assert numbers == sorted(set(numbers))
    assert not any(number % 2 for number in numbers)
