"""A client's end of the Kalah Game Protocol."""

import pytest

from mancala.protocol.kgp.client import (
    MOST_REPEATS,
    GameFinished,
    GameVerdict,
    Greeted,
    Introduction,
    KgpClient,
    KgpResult,
    PitQuestion,
    Reply,
    ServerLeft,
    StatedClock,
    Stopped,
    UnsupportedError,
)
from mancala.protocol.rules import Board

START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
LATER = "<6,1,2,4,4,0,5,5,5,4,4,4,0,5,5>"


@pytest.fixture
def client() -> KgpClient:
    client = KgpClient(Introduction(name="ada"))
    client.receive("2 kgp 1 0 1\r\n")
    return client


def _asked(client: KgpClient, line: str) -> PitQuestion:
    *_, asked = client.receive(line)
    assert isinstance(asked, PitQuestion)
    return asked


def lost_by(client: KgpClient) -> KgpResult:
    """Return what a client makes of its game when the connection is lost."""
    (finished,) = client.lost()
    assert isinstance(finished, GameFinished)
    return finished.result


def test_a_greeting_is_answered_with_name_token_and_mode() -> None:
    """What is not set is not said; ids are odd and rise."""
    me = Introduction(name='a "b"', authors="us", token="t")  # noqa: S106  # no secret
    assert KgpClient(me).receive("0 kgp 1 0 1\r\n") == [
        Greeted(
            (
                '1 set info:name "a \\"b\\""\r\n',
                '3 set info:authors "us"\r\n',
                '5 set auth:token "t"\r\n',
                "7 mode freeplay\r\n",
            )
        )
    ]


def test_another_major_version_is_refused() -> None:
    """A server of a later protocol cannot be understood."""
    for major in (0, 2):
        with pytest.raises(UnsupportedError, match=f"version {major}"):
            KgpClient(Introduction(name="ada")).receive(f"kgp {major} 0 0")


def test_a_question_carries_the_position_and_what_was_told_of_game_and_time(
    client: KgpClient,
) -> None:
    """The hints given before a state go with it; milliseconds go before seconds."""
    for line in ('set game:id "g7"', 'set game:opponent "bob"', "set time:clock 3"):
        assert client.receive(line) == []
    asked = _asked(client, f"8 state {START}")
    assert asked == PitQuestion(8, Board.start(), "g7", "bob", StatedClock(False, 3000, 0))
    client.receive("set arena:deadline 250")
    assert _asked(client, f"10 state {START}").clock == StatedClock(
        is_bank=False, own_ms=250, other_ms=0
    )
    client.receive('set time:mode "absolute"')
    client.receive("set time:opclock 9")
    assert _asked(client, f"12 state {START}").clock == StatedClock(True, 250, 9000)


@pytest.mark.parametrize(
    ("options", "clock"),
    [
        ((), None),
        (("time:clock 0",), None),
        (("time:clock -3",), None),
        (("time:clock soon",), None),
        (("time:clock 1", "arena:deadline 0"), StatedClock(False, 1000, 0)),
        (("time:clock 1", "arena:deadline -5"), StatedClock(False, 1000, 0)),
        (("time:clock 9", "arena:deadline 1"), StatedClock(False, 1, 0)),
        (("time:clock 1", "time:opclock soon"), StatedClock(False, 1000, 0)),
    ],
)
def test_a_time_that_is_no_positive_number_is_none(
    client: KgpClient, options: tuple[str, ...], clock: StatedClock | None
) -> None:
    """Then the next best statement counts."""
    for option in options:
        client.receive(f"set {option}")
    assert _asked(client, f"8 state {START}").clock == clock


def test_texts_of_the_server_are_cut(client: KgpClient) -> None:
    """At most 256 characters of each."""
    client.receive(f"set game:id {'x' * 300}")
    assert _asked(client, f"8 state {START}").game == 256 * "x"


def test_a_late_answer_is_still_written(client: KgpClient) -> None:
    """The server ignores it; the game is that of the last question."""
    client.receive(f"8 state {START}")
    assert client.move(6, 2) == "5@6 move 3\r\n"
    assert lost_by(client).stores == (0, 0)


def test_a_new_id_is_a_new_game_and_equal_stores_are_not(client: KgpClient) -> None:
    """Stores need not grow from one question to the next."""
    for game, events in (("g1", 1), ("g1", 1), ("g2", 2), ("g1", 2)):
        client.receive(f"set game:id {game}")
        assert len(client.receive(f"8 state {START}")) == events


def test_a_larger_board_is_a_new_game(client: KgpClient) -> None:
    """Neither pits nor seeds are added during a game."""
    grown = "<6,1,0,4,4,4,4,4,4,4,4,4,4,4,4>"
    for state, events in (("<3,0,0,3,3,3,3,3,3>", 1), (START, 2), (grown, 2)):
        assert len(client.receive(f"8 state {state}")) == events


def test_an_introduction_cannot_be_changed() -> None:
    """It is said again on each connection."""
    with pytest.raises(AttributeError):
        Introduction(name="ada").name = "bob"  # type: ignore[misc]  # that is what is tried


def test_answers_refer_to_their_question_and_count_pits_from_one(client: KgpClient) -> None:
    """A comment, moves and the yield are lines of the client's own numbering."""
    client.receive(f"8 state {START}")
    assert client.comment("deep") == '5 set info:comment "deep"\r\n'
    assert client.move(8, 0) == "7@8 move 1\r\n"
    assert client.end_answer(8) == "9@8 yield\r\n"
    assert client.goodbye() == "11 goodbye\r\n"


def test_ping_and_stop_and_goodbye_are_understood(client: KgpClient) -> None:
    """A pong answers by number; a goodbye comes with the last error."""
    assert client.receive("4 ping\r\n") == [Reply("5@4 pong\r\n")]
    assert client.receive("6@2 stop") == [Stopped(2)]
    assert client.receive('8 error "too\nmany"'.replace("\n", "\\n")) == []
    assert client.receive("10 goodbye") == [ServerLeft("too many")]


@pytest.mark.parametrize(
    "line",
    ["nonsense", "8 state", f"state {START}", "8 state <1,0,0,0,1>", "set", "", "stop", "\x00"],
)
def test_what_makes_no_sense_is_passed_over(client: KgpClient, line: str) -> None:
    """Unknown commands, questions without number and finished positions are no reason to die."""
    assert client.receive(line) == []


def test_a_result_that_the_server_tells_ends_the_game(client: KgpClient) -> None:
    """Verdict, stores and reason are the server's words; a second one is ignored."""
    client.receive('set game:id "g1"')
    client.receive(f"8 state {START}")
    client.receive(f"10 state {LATER}")
    told = 'set arena:result "won 30 18 resigned"'
    assert client.receive(told) == [
        GameFinished(KgpResult("g1", "", GameVerdict.WON, (30, 18), "resigned", 2))
    ]
    assert client.receive(told) == []
    assert not client.is_playing


def test_a_position_that_cannot_follow_begins_a_new_game(client: KgpClient) -> None:
    """Without hints, stores that shrink end the game before, of unknown result."""
    client.receive(f"8 state {LATER}")
    finished, asked = client.receive(f"10 state {START}")
    assert finished == GameFinished(KgpResult("", "", GameVerdict.UNKNOWN, (1, 2), "", 1))
    assert isinstance(asked, PitQuestion)
    assert len(client.receive("12 state <3,0,0,3,3,3,3,3,3>")) == 2


@pytest.mark.parametrize(
    ("state", "pit", "verdict"),
    [
        ("<3,13,5,1,1,1,1,1,1>", None, GameVerdict.WON),
        ("<3,5,13,1,1,1,1,1,1>", None, GameVerdict.LOST),
        ("<3,12,6,1,1,1,1,1,1>", None, GameVerdict.UNKNOWN),
        ("<2,5,3,0,1,1,1>", 1, GameVerdict.WON),
        ("<2,4,3,0,1,1,1>", 1, GameVerdict.DRAWN),
        ("<2,3,3,0,1,1,1>", 1, GameVerdict.LOST),
    ],
)
def test_seeds_decide_a_game_that_just_stops(
    client: KgpClient, state: str, pit: int | None, verdict: GameVerdict
) -> None:
    """More than half of all do; with exactly half it may be a draw, unless a move ended it."""
    client.receive(f"8 state {state}")
    if pit is not None:
        client.move(8, pit)
    assert lost_by(client).verdict is verdict


def test_what_a_server_that_states_results_did_not_state_is_unknown(client: KgpClient) -> None:
    """The last move may have been lost with the connection."""
    client.receive("set arena:deadline 2000")
    client.receive("4 state <2,5,0,0,1,0,2>")
    client.move(4, 1)
    assert lost_by(client).verdict is GameVerdict.UNKNOWN


def test_a_game_that_an_own_move_ends_has_a_known_result(client: KgpClient) -> None:
    """The client knows the rules: its last move swept the board."""
    client.receive("8 state <2,5,0,0,1,1,1>")
    client.move(8, 1)
    assert lost_by(client) == KgpResult("", "", GameVerdict.WON, (6, 2), "", 1)


def test_an_answer_that_came_too_early_is_given_again(client: KgpClient) -> None:
    """The reference server knows a question only a moment after it has sent it."""
    client.receive(f"4 state {START}")
    assert (client.move(4, 2), client.end_answer(4)) == ("5@4 move 3\r\n", "7@4 yield\r\n")
    unknown = "No state associated with id"
    assert client.receive(f'6@5 error "{unknown}"') == [Reply("9@4 move 3\r\n")]
    assert client.receive(f'8@7 error "{unknown}"') == [Reply("11@4 yield\r\n")]
    assert client.receive(f'10@5 error "{unknown}"') == []
    client.receive("12@4 stop")
    assert client.receive(f'14@9 error "{unknown}"') == []


def test_a_refused_answer_that_a_later_one_replaced_is_not_given_again(client: KgpClient) -> None:
    """Said again after the better move, it would be final; the later one still is, if refused."""
    client.receive(f"4 state {START}")
    assert (client.move(4, 2), client.move(4, 3)) == ("5@4 move 3\r\n", "7@4 move 4\r\n")
    assert client.receive('6@5 error "no"') == []
    for repeated in range(MOST_REPEATS):
        again = Reply(f"{9 + 2 * repeated}@4 move 4\r\n")
        assert client.receive(f'8@{7 + 2 * repeated} error "no"') == [again]


def test_a_refused_answer_is_given_again_a_few_times_only(client: KgpClient) -> None:
    """A server that refuses it for another reason is not asked for ever."""
    client.receive(f"4 state {START}")
    client.move(4, 2)
    repeated = 0
    while client.receive(f'6@{5 + 2 * repeated} error "no"'):
        repeated += 1
    assert repeated == MOST_REPEATS


def test_a_game_that_a_forced_reply_ends_is_over_with_its_question(client: KgpClient) -> None:
    """With ``--games 1`` a client was asked in the next game, and left that one."""
    _asked(client, "6 state <2,3,1,1,1,0,1>")
    client.move(6, 0)
    stopped, finished = client.receive("8@6 stop")
    assert stopped == Stopped(6)
    assert isinstance(finished, GameFinished)
    assert finished.result[2:4] == (GameVerdict.WON, (5, 2))


def test_a_game_that_the_own_move_ends_is_over_with_its_question(client: KgpClient) -> None:
    """With ``--games 1`` a client began the next game of a server that states no results."""
    _asked(client, "6 state <2,3,1,1,1,1,1>")
    client.move(6, 1)
    assert client.receive("8@6 stop") == [Stopped(6)]
    _asked(client, "10 state <2,4,2,0,1,1,0>")
    client.move(10, 1)
    stopped, finished = client.receive("12@10 stop")
    assert stopped == Stopped(10)
    assert isinstance(finished, GameFinished)
    assert finished.result[2:4] == (GameVerdict.WON, (5, 3))
    assert not client.is_playing
