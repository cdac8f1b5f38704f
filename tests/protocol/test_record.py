"""The game record: it replays, it proves itself, and it survives its text form."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.clock import Clock, ClockState, Ledger, TimeControl
from mancala.protocol.codec import DecodeError
from mancala.protocol.messages import Agent, Evidence, Outcome, Reason
from mancala.protocol.record import (
    GameRecord,
    RecordedMove,
    RecordError,
    from_article,
    from_pits,
    from_text,
    replay,
    to_text,
    verify,
)
from mancala.protocol.referee import outcome
from mancala.protocol.results import Contestant
from mancala.protocol.rules import KALAH, Board, InvalidPositionError, Rules
from tests.protocol.strategies import boards, values

# "Players' moves" as the article prints them.
ARTICLE: Final = [
    *(3, 1, 11, 9, 0, 8, 5, 0, 1, 0, 4, 12, 0, 5, 9, 1, 8, 0, 3, 11, 1, 8, 0, 12, 2, 8, 1, 9, 0),
]
BANK: Final = TimeControl(move_ms=None, bank_ms=60_000, increment_ms=100)


def random_game(seed: int = 1, rules: Rules = KALAH, clock: TimeControl = BANK) -> GameRecord:
    rng, board, times = Random(seed), Board.start(rules), Clock.set_up(clock)
    moves = []
    while not board.is_over:
        pit, ledger = rng.choice(board.legal()), Ledger(rng.random() * 500, 10.0)
        times = times.charge(board.player, ledger)
        moves.append(RecordedMove(board.player, pit, *ledger, times.state))
        board = board.sow(pit).board
    return GameRecord(
        "g1",
        rules,
        (Contestant("ada", Agent("alpha", "1.2")), Contestant("bob")),
        Board.start(rules).state,
        tuple(moves),
        outcome(board),
        match="m1",
        server="arena",
        rated=True,
        clock=clock,
        started_at="2026-01-02T03:04:05Z",
        ended_at="2026-01-02T03:04:59.25Z",
    )


WHOLE: Final = random_game()
PLIES: Final = len(WHOLE.moves)
QUOTAS: Final = (1230, 930)
"""Lag quotas after the first move, with a second a move: 930 ms, a gain of 310, 10 ms of lag."""


def cut(reason: Reason, winner: int | None, evidence: Evidence | None = None) -> GameRecord:
    """Return the same game, ended by force after two moves (player 0's 2, then 0)."""
    board = Board.start()
    moves = []
    for pit in (2, 0):
        moves.append(RecordedMove(board.player, pit))
        board = board.sow(pit).board
    result = Outcome(winner, board.stores, reason, evidence)
    return replace(WHOLE, moves=tuple(moves), result=result, clock=None)


def with_move(ply: int, **changes: Any) -> GameRecord:  # noqa: ANN401  # any field of a move
    moves = list(WHOLE.moves)
    moves[ply] = replace(moves[ply], **changes)
    return replace(WHOLE, moves=tuple(moves))


def banks(ply: int) -> tuple[int, int]:
    clock = WHOLE.moves[ply].clock
    assert clock is not None
    assert clock.banks_ms is not None
    return clock.banks_ms


def with_bank(ply: int, more_ms: int) -> GameRecord:
    clock = WHOLE.moves[ply].clock
    assert clock is not None
    changed = (banks(ply)[0] + more_ms, banks(ply)[1])
    return with_move(ply, clock=ClockState(changed, clock.quotas_ms))


def with_result(**changes: Any) -> GameRecord:  # noqa: ANN401  # any field of a result
    assert WHOLE.result is not None
    return replace(WHOLE, result=replace(WHOLE.result, **changes))


def test_replay_yields_the_opening_and_the_board_after_each_move() -> None:
    """One more board than moves, the last of them over."""
    seen = list(replay(WHOLE))
    assert seen[0] == Board.start()
    assert len(seen) == PLIES + 1
    assert [board.is_over for board in seen] == [False] * PLIES + [True]


@pytest.mark.parametrize("seed", range(20))
def test_the_record_of_a_game_verifies(seed: int) -> None:
    """A record of a game played by the rules verifies."""
    assert verify(random_game(seed)).is_over


def test_times_in_whole_milliseconds_verify() -> None:
    """A writer may round, and the clocks are still believed."""
    moves = tuple(
        replace(move, elapsed_ms=int(move.elapsed_ms or 0), lag_ms=int(move.lag_ms))
        for move in WHOLE.moves
    )
    verify(replace(WHOLE, moves=moves))


LIES: dict[str, tuple[Callable[[], GameRecord], int | None, str]] = {
    "an opening with a pit too many": (
        lambda: replace(WHOLE, rules=Rules(pits=5)),
        None,
        "the opening",
    ),
    "another mover": (lambda: with_move(0, player=1), 0, "the mover"),
    "an empty pit": (lambda: with_move(1, player=0, pit=WHOLE.moves[0].pit), 1, "the"),
    "a pit off the board": (lambda: with_move(0, pit=6), 0, "the pit sown"),
    "a move after the end": (
        lambda: replace(WHOLE, moves=(*WHOLE.moves, RecordedMove(0, 0))),
        PLIES,
        "the pit sown",
    ),
    "a move left out": (lambda: replace(WHOLE, moves=WHOLE.moves[:-1]), PLIES - 1, "the stores"),
    "a better clock": (
        lambda: with_move(3, clock=ClockState((60_000, 60_000), (0, 0))),
        3,
        "the clock",
    ),
    "a clock without banks": (lambda: with_move(3, clock=ClockState(None, (0, 0))), 3, "the clock"),
    "a clock 2 ms off after one move": (lambda: with_bank(0, 2), 0, "the clock"),
    "a clock 3 ms off after two moves": (lambda: with_bank(1, 3), 1, "the clock"),
    "quotas in place of banks": (lambda: with_move(3, clock=ClockState(None, banks(3))), 3, "the"),
    "banks where there are none": (
        lambda: replace(
            WHOLE,
            clock=TimeControl(),
            moves=(replace(WHOLE.moves[0], clock=ClockState(QUOTAS, QUOTAS)), *WHOLE.moves[1:]),
        ),
        0,
        "the clock",
    ),
    "other stores": (lambda: with_result(stores=(48, 0)), PLIES, "the stores"),
    "another winner": (
        lambda: with_result(winner=1 - (WHOLE.result.winner or 0) if WHOLE.result else None),
        PLIES,
        "the winner",
    ),
    "another reason": (lambda: with_result(reason=Reason.TIMEOUT), PLIES, "the reason"),
    "no result of a finished game": (lambda: replace(WHOLE, result=None), PLIES, "the result"),
    "a normal end in mid-game": (lambda: cut(Reason.NORMAL, 0), 2, "the reason"),
    "a winner of an aborted game": (lambda: cut(Reason.ABORTED, 0), 2, "the winner"),
    "no winner of a resigned game": (lambda: cut(Reason.RESIGNED, None), 2, "the winner"),
    "the culprit as winner": (
        lambda: cut(Reason.RESIGNED, 0, Evidence(0, "resigned", 2)),
        2,
        "the winner",
    ),
    "evidence of another ply": (
        lambda: cut(Reason.RESIGNED, 1, Evidence(0, "resigned", 7)),
        2,
        "the evidence's ply",
    ),
    "a legal move called illegal": (
        lambda: cut(Reason.ILLEGAL, 0, Evidence(1, "", 2, pit=3)),
        2,
        "the illegal pit",
    ),
    "a timeout of who was not asked": (
        lambda: cut(Reason.TIMEOUT, 1, Evidence(0, "", 2)),
        2,
        "the player at fault",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_and_named(lie: str) -> None:
    """The error tells the ply and the fact, and carries both versions."""
    make, ply, fact = LIES[lie]
    with pytest.raises(RecordError) as caught:
        verify(make())
    assert caught.value.ply == ply
    assert caught.value.fact.startswith(fact)
    assert str(caught.value.stated) in str(caught.value)


@pytest.mark.parametrize(
    ("reason", "winner", "evidence"),
    [
        (Reason.RESIGNED, 1, Evidence(0, "resigned", 2)),
        (Reason.ILLEGAL, 0, Evidence(1, "no", 2, pit=6, legal=(0, 1, 2, 3, 4, 5))),
        (Reason.TIMEOUT, 0, Evidence(1, "the time was up", 2)),
        (Reason.DISCONNECTED, 1, None),
        (Reason.RESIGNED, 1, Evidence(None, "resigned", 2)),
        (Reason.ABORTED, None, Evidence(0, "left before the first move", 2)),
        (Reason.ABORTED, None, Evidence(None, "both players were gone", 2)),
    ],
)
def test_a_forced_end_verifies(
    reason: Reason, winner: int | None, evidence: Evidence | None
) -> None:
    """An end that the rules do not explain is believed if its evidence fits."""
    verify(cut(reason, winner, evidence))


def test_an_unfinished_game_needs_no_result() -> None:
    """A record may stop in mid-game."""
    assert not verify(replace(WHOLE, moves=WHOLE.moves[:5], result=None)).is_over


def test_a_clock_may_be_a_millisecond_off_for_each_move() -> None:
    """Whole milliseconds are rounded once a move."""
    for ply in range(3):
        verify(with_bank(ply, 1 + ply))


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        ("<1,3,2,0,0>", 0),
        ("<1,3,1,0,0>", 0),
        ("<1,2,2,0,0>", None),
        ("<1,2,3,0,0>", 1),
        ("<1,1,3,0,0>", 1),
    ],
)
def test_the_larger_store_wins_by_the_rules(text: str, winner: int | None) -> None:
    """One seed more is enough, and equal stores are a draw."""
    board = Board.from_text(text)
    assert outcome(board) == Outcome(winner, board.stores, Reason.NORMAL)


def test_what_is_at_its_default_is_not_written() -> None:
    """A record of thousands of moves states what happened, and reads back as it was."""
    for value, document in (
        (RecordedMove(0, 2), b'{"player":0,"pit":2}'),
        (Outcome(1, (3, 4), Reason.NORMAL), b'{"winner":1,"stores":[3,4],"reason":"normal"}'),
    ):
        assert codec.to_json(value) == document
    assert codec.from_json(b'{"player":0,"pit":2}', RecordedMove) == RecordedMove(
        0, 2, None, 0.0, None, None, forced=False
    )
    assert not from_pits([2]).rated


@pytest.mark.parametrize("value", [WHOLE, WHOLE.moves[0], WHOLE.result])
def test_a_record_cannot_be_changed(value: Any) -> None:  # noqa: ANN401  # structs alike
    """What was verified stays verified."""
    with pytest.raises(AttributeError):
        setattr(value, value.__struct_fields__[0], 1)


@given(values(GameRecord))
def test_a_record_round_trips_as_json(record: GameRecord) -> None:
    """Any record reads back the same."""
    assert codec.from_json(codec.to_json(record), GameRecord) == record


def test_a_record_names_its_schema() -> None:
    """The schema's name is in the document."""
    assert codec.to_json(WHOLE).startswith(b'{"schema":"mancala.game_record.v1","game":"g1"')


def stated_by_text(record: GameRecord) -> GameRecord:
    """Leave out what the text form does not state: all that was measured a move."""
    moves = tuple(RecordedMove(move.player, move.pit) for move in record.moves)
    return replace(record, moves=moves)


@pytest.mark.parametrize("seed", range(20))
def test_the_text_form_round_trips_what_it_states(seed: int) -> None:
    """Headers and pits come back; times, clocks and thoughts are not in it."""
    record = random_game(seed, Rules(pits=1 + seed % 16, seeds=2, relap=seed % 2 == 0))
    assert from_text(to_text(record)) == stated_by_text(record)
    assert from_text(to_text(record).replace("\n", "\r\n")) == stated_by_text(record)


@given(values(GameRecord), boards())
def test_any_headers_survive_the_text_form(record: GameRecord, opening: Board) -> None:
    """Names may hold brackets, quotes and any other character."""
    odd = replace(record, moves=(), rules=opening.rules, opening=opening.state)
    assert from_text(to_text(odd)) == odd


def test_the_text_form_can_be_read_by_people() -> None:
    """Headers first, then a word a turn, chains joined."""
    players = (Contestant("ada"), Contestant("bob"))
    moves = (RecordedMove(0, 2), RecordedMove(0, 5), RecordedMove(1, 1))
    record = GameRecord("g1", KALAH, players, Board.start().state, moves)
    assert to_text(record) == (
        '[game "g1"]\n[rules "kalah"]\n[players [{"name":"ada"},{"name":"bob"}]]\n\n2-5 1\n'
    )


def written(turns: list[list[int]]) -> list[str]:
    """Return the lines of pits in the text of a record, which need not be legal."""
    moves = [RecordedMove(at % 2, pit) for at, turn in enumerate(turns) for pit in turn]
    text = to_text(replace(WHOLE, moves=tuple(moves)))
    assert from_text(text).moves == tuple(moves)
    return text.split("\n\n")[1].splitlines()


def test_lines_of_pits_are_at_most_78_characters_long() -> None:
    """A turn is never broken, as its second half would be another turn."""
    assert list(map(len, written([[12], *[[3]] * 38, [3]]))) == [78, 1]
    assert list(map(len, written([[3]] * 40))) == [77, 1]
    assert list(map(len, written([[3]] * 30 + [[3] * 12, [3]]))) == [59, 25]


def test_the_text_form_keeps_an_opening_and_its_mover() -> None:
    """A game may begin elsewhere, and with player 1."""
    opening = Board(KALAH, ((4,) * 6, (4,) * 6), (0, 0), player=1)
    record = replace(cut(Reason.RESIGNED, 0), opening=opening.state)
    record = replace(record, moves=(RecordedMove(1, 2), RecordedMove(1, 0)))
    assert '"current_player":1' in to_text(record)
    assert from_text(to_text(record)) == record


def test_the_text_form_refuses_a_first_move_out_of_turn() -> None:
    """It has no words for that."""
    with pytest.raises(RecordError, match="at ply 0, the mover"):
        to_text(with_move(0, player=1))
    second = Board(KALAH, ((4,) * 6, (4,) * 6), (0, 0), player=1)
    with pytest.raises(RecordError, match="it is player 1's turn"):
        to_text(replace(WHOLE, opening=second.state))


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("", InvalidPositionError, "no rules named ''"),
        ('[rules "kala"]', InvalidPositionError, "no rules named 'kala'"),
        ('[rules "kalah"]\n\n2', DecodeError, "missing required field"),
        ("[rules kalah]", DecodeError, "malformed"),
        ("[rules]", ValueError, r"a header is written \[key value\]; '\[rules\]' is not"),
        ('[rules "kalah"\n', ValueError, "a header is written"),
        ("PLAYERS\n\n2 five", ValueError, "a turn is written as pits joined by '-'; 'five' is not"),
        ("PLAYERS\n\n2--5", ValueError, "'2--5' is not"),
    ],
)
def test_wrong_text_is_named(text: str, error: type[ValueError], complaint: str) -> None:
    """An error about a text record says which line or word is wrong."""
    head = '[game "g"]\n[rules "kalah"]\n[players [{"name":"a"},{"name":"b"}]]'
    with pytest.raises(error, match=complaint):
        from_text(text.replace("PLAYERS", head))


def test_the_articles_game_replays() -> None:
    """Its printed list of moves is a whole game by its rules, won by the player of row 7 to 12."""
    record = from_article(ARTICLE)
    assert record.result == Outcome(1, (15, 33), Reason.NORMAL)
    assert verify(record).is_over
    agent = [number for number in ARTICLE if number < 6]
    assert agent == [3, 1, 0, 5, 0, 1, 0, 4, 0, 5, 1, 0, 3, 1, 0, 2, 1, 0]
    assert [move.pit for move in record.moves if move.player == 0] == [5 - n for n in agent]


def test_an_article_list_may_stop_in_mid_game() -> None:
    """What was not finished has no result; the players have the names that are given."""
    record = from_article(ARTICLE[:7], names=("ada", "bob"))
    assert record.result is None
    assert record.players == (Contestant("ada"), Contestant("bob"))


@pytest.mark.parametrize(
    ("moves", "complaint"),
    [
        ([3, 3], "at ply 1, the pit sown: the record says 2"),
        ([3, 11], "at ply 1, the mover: the record says 1, but it is player 0's turn"),
        ([*ARTICLE, 0], "at ply 29, the pit sown: .* the game is over"),
    ],
)
def test_an_article_list_that_does_not_replay_is_refused(moves: list[int], complaint: str) -> None:
    """A slip in a list of moves is found at its ply."""
    with pytest.raises(RecordError, match=complaint):
        from_article(moves)


def test_a_store_in_an_article_list_is_refused() -> None:
    """A store cannot be sown."""
    with pytest.raises(InvalidPositionError, match="6 is not the number of a pit"):
        from_article([6])


def test_a_list_of_own_pits_replays() -> None:
    """Each pit is its mover's, and who moves follows from the rules."""
    record = from_pits([2, 5, 0])
    assert [(move.player, move.pit) for move in record.moves] == [(0, 2), (0, 5), (1, 0)]
    with pytest.raises(RecordError, match="at ply 1, the pit sown: the record says 2"):
        from_pits([2, 2])
