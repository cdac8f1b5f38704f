"""A Kalah Game Protocol client's conversation, between its lines and the arena's messages."""

import re
from dataclasses import replace

import pytest
from msgspec import structs

from mancala.protocol import messages as wire
from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.kgp.actions import Action, Close, Fault, Policy, Relay, Say
from mancala.protocol.kgp.interpreter import Interpreter, wire_name
from mancala.protocol.kgp.lines import parse
from mancala.protocol.rules import KALAH, PRESETS, Board, Rules
from mancala.protocol.text import quote
from tests.protocol.samples import SAMPLES
from tests.sources import ROOT

SPEC = ROOT / "protocol" / "SPEC.md"
WELCOME = wire.Welcome(
    wire.VERSION, "arena", "s3cret", resumed=False, limits=wire.Limits(16384, 1000, 30.0)
)


class FakeDirectory:
    """Numbers guests, and keeps sessions."""

    def __init__(self) -> None:
        self.sessions: dict[tuple[str, str], str] = {}

    def name_guest(self, wanted: str) -> str:
        return f"{wanted}-1"

    def session_of(self, name: str, token: str) -> str | None:
        return self.sessions.get((name, token))

    def remember(self, name: str, token: str, session: str) -> None:
        self.sessions[name, token] = session


@pytest.fixture
def client() -> Interpreter:
    return _connected(Policy())


def _connected(policy: Policy, directory: FakeDirectory | None = None) -> Interpreter:
    client = Interpreter(
        policy, pick=lambda choice: choice[0], directory=directory or FakeDirectory()
    )
    client.greet(0.0)
    return client


def _said(actions: list[Action]) -> list[str]:
    return [action.line.split(" ", 1)[1].strip() for action in actions if isinstance(action, Say)]


def _relayed(actions: list[Action]) -> list[object]:
    return [action.message for action in actions if isinstance(action, Relay)]


def _seated() -> Interpreter:
    client = _connected(Policy())
    client.hear("5 mode freeplay", 0.0)
    client.tell(WELCOME, 0.0)
    return client


def test_the_first_line_is_the_version_under_an_even_number() -> None:
    """Clients look for three whole numbers."""
    client = Interpreter(Policy(), pick=lambda choice: choice[0], directory=FakeDirectory())
    assert client.greet(0.0) == [Say("2 kgp 1 0 1\r\n")]


@pytest.mark.parametrize(
    ("name_line", "mode_line"),
    [
        ('1 set "info:name" "Ada\'s bot"', '3 mode "freeplay"'),
        ('1 set info:name "Ada\'s bot"', "3 mode freeplay"),
    ],
)
def test_a_client_becomes_a_guest_under_a_name_of_its_own(
    client: Interpreter, name_line: str, mode_line: str
) -> None:
    """Both ways of quoting are understood; the program keeps the name as it was written."""
    client.hear(name_line, 0.0)
    client.hear('set info:authors "Ada"', 0.0)
    (hello,) = _relayed(client.hear(mode_line, 0.0))
    assert isinstance(hello, wire.Hello)
    assert (hello.name, hello.token) == ("Ada-s-bot-1", None)
    assert hello.agent is not None
    assert hello.agent.name == "Ada's bot by Ada"


def test_what_a_client_says_of_itself_is_cut(client: Interpreter) -> None:
    """A program's name has at most 256 characters."""
    client.hear(f"set info:name {'x' * 300}", 0.0)
    (hello,) = _relayed(client.hear("mode freeplay", 0.0))
    assert isinstance(hello, wire.Hello)
    assert hello.agent is not None
    assert hello.agent.name == 256 * "x"


def test_an_idle_client_is_pinged_and_its_lag_is_the_round_trip(client: Interpreter) -> None:
    """After 20 seconds; the lag is in milliseconds, and no more than the kernel's by much."""
    assert client.deadline == 20.0
    assert client.expire(19.9) == []
    assert _said(client.expire(20.0)) == ["ping"]
    client.hear("9@4 pong", 20.25)
    assert client.lag_ms() == 250.0
    assert client.lag_ms(0.1) == pytest.approx(101.0)


def test_a_closed_conversation_has_no_timers(client: Interpreter) -> None:
    """A client that left is not pinged."""
    client.hear("9 goodbye", 0.0)
    assert client.deadline is None
    assert client.expire(20.0) == []


def test_a_plain_move_for_a_closed_question_is_late() -> None:
    """Moves for the open one, and other lines, are not."""
    client = _seated()
    for message in (SAMPLES[wire.GameStart], SAMPLES[wire.Turn]):
        state = client.tell(message, 0.0)[-1]
    assert isinstance(state, Say)
    number = state.line.split()[0]
    assert not client.is_late(f"9@{number} move 1")
    assert client.is_late(f"9@{int(number) - 2} move 1\r\n")
    assert not client.is_late(f"9@{int(number) - 2} yield")


@pytest.mark.parametrize(
    ("error", "is_playing"),
    [
        (wire.Error(wire.ErrorCode.LIMIT, "no", fatal=True), False),
        (wire.Error(wire.ErrorCode.DECLINED, "no", fatal=False), False),
        (wire.Error(wire.ErrorCode.LIMIT, "no", fatal=False), True),
    ],
)
def test_an_error_that_leaves_something_to_wait_for_is_only_passed_on(
    error: wire.Error, *, is_playing: bool
) -> None:
    """A fatal one is followed by the arena's goodbye; a player goes on with its game."""
    client = _seated()
    if is_playing:
        client.tell(SAMPLES[wire.GameStart], 0.0)
    actions = client.tell(error, 0.0)
    assert (_said(actions), len(actions)) == (['error "no"'], 1)


@pytest.mark.parametrize(
    ("policy", "code", "ref"),
    [
        (Policy(ladder="main"), wire.ErrorCode.LIMIT, "main"),
        (Policy(event="final"), wire.ErrorCode.NOT_OPEN, "final"),
    ],
    ids=["a pause of the ladder", "an event that is not open yet"],
)
def test_what_passes_by_itself_is_no_error_for_the_client(
    policy: Policy, code: wire.ErrorCode, ref: str
) -> None:
    """Many programs end at any error; the server pairs or enters it later."""
    client = _connected(policy)
    client.hear("5 mode freeplay", 0.0)
    client.tell(WELCOME, 0.0)
    assert client.tell(wire.Error(code, "wait", fatal=False, ref=ref), 0.0) == []


def test_a_client_with_a_token_has_the_name_it_says(client: Interpreter) -> None:
    """A registered name is not made unique: it is the client's."""
    client.hear('set info:name "ada"', 0.0)
    client.hear("set auth:token s3cret", 0.0)
    (hello,) = _relayed(client.hear("mode freeplay", 0.0))
    assert isinstance(hello, wire.Hello)
    assert (hello.name, hello.token) == ("ada", "s3cret")


def test_a_welcome_client_is_told_ok_and_seeks_matches_for_ever(client: Interpreter) -> None:
    """One match after the other, by the rules that its protocol knows."""
    client.hear("5 mode freeplay", 0.0)
    actions = client.tell(WELCOME, 0.0)
    assert actions[0] == Say("4@5 ok\r\n")
    seek = wire.Seek("kalah", rated=True, games=2)
    assert _relayed(actions) == [seek]
    assert _relayed(client.tell(wire.MatchOver("m1", {}), 0.0)) == [seek]


def test_a_client_with_a_token_that_comes_back_takes_up_its_games() -> None:
    """Its session is kept by name and token; a resumed client sends no new seek."""
    directory = FakeDirectory()
    hellos = []
    for resumed in (False, True):
        client = _connected(Policy(), directory)
        client.hear("set info:name ada", 0.0)
        client.hear("set auth:token t", 0.0)
        hellos += _relayed(client.hear("mode freeplay", 0.0))
        sought = _relayed(client.tell(structs.replace(WELCOME, resumed=resumed), 0.0))
        assert bool(sought) is not resumed
    assert [hello.resume for hello in hellos if isinstance(hello, wire.Hello)] == [None, "s3cret"]


def test_where_there_is_a_ladder_the_client_joins_it() -> None:
    """And stays in it after a match."""
    client = _connected(Policy(ladder="main"))
    client.hear("5 mode freeplay", 0.0)
    assert _relayed(client.tell(WELCOME, 0.0)) == [wire.Join("main")]
    assert client.tell(wire.MatchOver("m1", {}), 0.0) == []


def test_where_there_is_an_event_the_client_enters_it() -> None:
    """Besides the ladder; without one it seeks no match either, and leaves if it is refused."""
    too_late = wire.Error(wire.ErrorCode.FORBIDDEN, "too late", fatal=False, ref="final")
    client = _connected(Policy(ladder="main", event="final"))
    client.hear("5 mode freeplay", 0.0)
    assert _relayed(client.tell(WELCOME, 0.0)) == [wire.Enter("final"), wire.Join("main")]
    assert client.tell(too_late, 0.0) == []
    client = _connected(Policy(event="final"))
    client.hear("5 mode freeplay", 0.0)
    assert _relayed(client.tell(WELCOME, 0.0)) == [wire.Enter("final")]
    assert client.tell(wire.MatchOver("m1", {}), 0.0) == []
    assert _said(client.tell(too_late, 0.0)) == ['error "too late"', "goodbye"]


def test_a_client_that_cannot_be_seated_is_told_why_and_sent_away() -> None:
    """A client does not wait for a ladder that does not exist."""
    actions = _seated().tell(
        wire.Error(wire.ErrorCode.UNKNOWN_LADDER, "no such ladder", fatal=False), 0.0
    )
    assert _said(actions) == ['error "no such ladder"', "goodbye"]
    assert _relayed(actions) == [wire.Goodbye()]
    assert actions[-1] == Close()


def test_an_arena_that_sends_the_client_away_says_so_in_its_language() -> None:
    """Error, goodbye, and the socket is closed from this end."""
    client = _seated()
    fatal = wire.Error(wire.ErrorCode.BAD_TOKEN, "that is no token", fatal=True)
    assert _said(client.tell(fatal, 0.0)) == ['error "that is no token"']
    actions = client.tell(wire.Goodbye("bad_token"), 0.0)
    assert _said(actions) == ["goodbye"]
    assert actions[-1] == Close()
    assert client.deadline is None
    assert client.hear("1 move 1", 0.0) == []
    assert client.tell(WELCOME, 0.0) == []


def test_a_goodbye_is_passed_on_and_closes_the_connection() -> None:
    """The stock clients need no further answer."""
    assert _seated().hear("9 goodbye", 0.0) == [Relay(wire.Goodbye()), Close()]


def test_an_unsupported_mode_ends_the_conversation(client: Interpreter) -> None:
    """As the protocol demands: an error, then goodbye."""
    actions = client.hear("3 mode simple", 0.0)
    assert _said(actions) == ['error "unsupported mode"', "goodbye"]
    assert actions[-1] == Close()


@pytest.mark.parametrize(
    "line",
    [
        "9 mode freeplay",
        "9 frobnicate 1",
        "9 set info:name",
        "9 set info:name ada bob",
        'set info:comment "unfinished',
        "9 solution 1",
        f'9 set a "{"x" * 16384}"',
        f"9 state <{'1,' * 8175}1>",
    ],
)
def test_what_makes_no_sense_is_answered_with_one_error(line: str) -> None:
    """A second mode, an unknown command, a line without end: one string each, which quotes it."""
    client = _seated()
    actions = client.hear(line, 0.0)
    (error,) = _said(actions)
    assert error.startswith('error "')
    (quoted,) = parse(error).arguments
    assert quote(line) in str(quoted)
    assert len(actions) == 1
    assert _said(client.hear("11 ping", 0.0)) == ["pong"]


@pytest.mark.parametrize("line", ["9 pong", "9@77 pong", "9 ok", '9 error "x"', "move 1", "yield"])
def test_what_was_not_asked_for_is_passed_over(line: str) -> None:
    """Unsolicited answers are ignored."""
    assert _seated().hear(line, 0.0) == []


def test_a_client_that_only_makes_no_sense_is_sent_away_in_the_end() -> None:
    """The arena hears what was received, as evidence."""
    client = _seated()
    for _ in range(99):
        assert len(client.hear("9 what", 0.0)) == 1
    _, fault, _, close = client.hear("9 what", 0.0)
    assert fault == Fault(wire.Reason.PROTOCOL, "100 lines made no sense", "9 what")
    assert close == Close()


def test_a_client_in_verify_is_examined_without_a_seat(client: Interpreter) -> None:
    """Problem after problem; a right solution is ok, a wrong one told what was expected."""
    assert _said(client.hear("1 mode verify", 0.0)) == [
        "ok",
        "problem <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> 0",
    ]
    right = client.hear("3@6 solution <6,0,0,0,5,5,5,5,4,4,4,4,4,4,4> 0", 0.0)
    assert _said(right)[0] == "ok"
    wrong = client.hear("5@10 solution <6,0,0,0,5,5,5,5,4,4,4,4,4,4,4> 1", 0.0)
    assert _said(wrong)[0] == 'error "South does not sow again"'
    assert _said(wrong)[1].startswith("problem ")


@pytest.mark.parametrize(
    ("rules", "answer"),
    [
        (KALAH, wire.Accept),
        (PRESETS["article"], wire.Decline),
        (PRESETS["kalah-empty-capture"], wire.Decline),
        (replace(KALAH, relap=True), wire.Decline),
        (replace(KALAH, majority=True), wire.Decline),
    ],
    ids=str,
)
def test_a_challenge_is_accepted_by_rules_that_the_client_knows(
    rules: Rules, answer: type[wire.Accept | wire.Decline]
) -> None:
    """By others the client would misjudge every capture, or the end."""
    offer = wire.Challenged("c1", "bob", "ada-1", rules, TimeControl(), rated=True, games=2)
    (said,) = _relayed(_seated().tell(offer, 0.0))
    assert isinstance(said, answer)
    assert said.challenge == "c1"


def test_messages_that_no_client_needs_come_to_nothing() -> None:
    """A standing seek, for instance."""
    assert _seated().tell(wire.Seeking(KALAH, TimeControl(), rated=True, games=2), 0.0) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada's bot v2", "Ada-s-bot-v2"),
        ("--x--", "x"),
        ("ünïcödé", "n-c-d"),
        ("!!!", ""),
        ("a" * 99, "a" * 48),
    ],
)
def test_any_text_makes_a_name_for_the_arena_or_none(text: str, name: str) -> None:
    """Letters, digits and a few marks; a letter or digit first."""
    assert wire_name(text) == name


def test_the_dialogue_of_the_documentation_is_held() -> None:
    """Word for word: a game of two answers, and a ping."""
    (dialogue,) = re.findall(r"```kgp\n(.*?)```", SPEC.read_text(), re.DOTALL)
    client, said = Interpreter(Policy(), pick=max, directory=FakeDirectory()), []
    board, clocks = Board.start(replace(KALAH, pits=2, seeds=1)), ClockState(None, (1500, 1500))
    start = wire.GameStart(
        *("g1", "m1", 0, board.rules, TimeControl(move_ms=1500)),
        *(wire.Opponent("bob"), board.state, (), clocks, ("ada", "bob")),
    )
    said += client.greet(0.0)
    for line in re.findall(r"^C: (.*)", dialogue, re.MULTILINE):
        for message in _relayed(client.hear(line, 1.0)):
            if isinstance(message, wire.Hello):
                said += [*client.tell(WELCOME, 1.0), *client.tell(start, 1.0)]
            elif isinstance(message, wire.Move) and not message.provisional:
                board = board.sow(message.pit).board
                said += client.expire(1.05)
            else:
                continue
            if board.is_over:
                over = wire.GameOver("g1", 0, board.stores, wire.Reason.NORMAL)
                said += [*client.tell(over, 1.05), *client.expire(60.0)]
            else:
                turn = wire.Turn("g1", len(said), board.state, board.legal(), clocks, 1500)
                said += client.tell(turn, 1.0)
    lines = [action.line.strip() for action in said if isinstance(action, Say)]
    assert lines == re.findall(r"^S: (.*)", dialogue, re.MULTILINE)


def test_each_command_of_the_documentation_is_known() -> None:
    """The table beside the stock server has those that a client may say, and no other."""
    _, _, table = SPEC.read_text().partition("\n| command |")
    rows = [line[2:].split(" | ") for line in table.split("\n\n")[0].splitlines()[2:]]
    heard = {name.strip("`") for row in rows if row[1] != "server" for name in row[0].split(", ")}
    told = {name.strip("`") for row in rows if row[1] == "server" for name in row[0].split(", ")}
    assert len(heard) == 10
    for name in heard | told:
        (first, *_) = [*_said(_connected(Policy()).hear(f"5 {name}", 0.0)), ""]
        assert ("unknown command" in first) == (name in told), name
