"""The pie rule in every room: a swap is legal once, is kept, and is asked only of who knows it."""

from itertools import count
from typing import Final

import numpy as np
import pytest

from mancala.bot.env import MancalaDuel
from mancala.bot.players.programs.dialogue import BadLineError
from mancala.protocol import codec, pie
from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player
from mancala.protocol.record import from_pits, from_text, replay, to_text, verify
from mancala.protocol.rules import KALAH, SWAP, Board, IllegalMoveError, Rules
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from mancala.server.contest.headless.game import Task, play
from mancala.server.store.database.packed import (
    VERSION,
    VERSION_BITS,
    WITH_SWAP,
    StoredMove,
    pack,
    unpack,
)
from tests.bot.players.programs.test_dialogue import Script, ask, dialogue_with
from tests.server.contest.headless.players import AnyPitPlayer, conditions
from tests.server.fakes import FakeSeat, Harness

PIE: Final = Rules.parse("kalah:pie=true")
AT_SECOND: Final = Board.start(PIE).sow(0).board
"""Player 0 has sown pit 0, and player 1 may swap."""


class ValuePlayer(Player):
    """Plays the first pit; its value of a board is its seeds less the other's."""

    anytime = True

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:  # noqa: ARG002  # answers at once
        assert not board.rules.pie
        me = board.player
        seeds = [board.stores[seat] + sum(board.pits[seat]) for seat in (me, 1 - me)]
        return Choice(board.legal()[0], wire.Info(value=float(seeds[0] - seeds[1])))


def test_other_rules_are_written_as_before() -> None:
    """JSON, text and key hold the field only where it is in force."""
    assert b"pie" not in codec.to_json(KALAH)
    assert Rules(pie=False) == KALAH
    assert PIE.key == f"{KALAH.key} pie=True"
    assert codec.from_json(codec.to_json(PIE), Rules) == PIE
    assert codec.from_json(b'{"pie":false}', Rules) == KALAH


def test_a_swap_turns_the_board_around_and_is_used_up() -> None:
    """The same position stands before player 0, as seen by its mover."""
    after = AT_SECOND.sow(SWAP).board
    assert (after.player, after.text) == (0, AT_SECOND.text)
    assert after.rules == KALAH
    assert AT_SECOND.sow(0).board.rules == KALAH


def test_a_swap_waits_for_the_whole_first_turn_and_comes_once() -> None:
    """A player who moves again is not interrupted; nor does the first player ever swap."""
    start = Board.start(PIE)
    again = start.sow(2).board
    for board in (start, again, AT_SECOND.sow(SWAP).board, Board.start().sow(0).board):
        assert not board.may_play(SWAP)
        with pytest.raises(IllegalMoveError):
            board.sow(SWAP)
    assert again.sow(0).board.may_swap


def test_a_record_proves_a_swap() -> None:
    """In its text it is a word, and one in the wrong place is refused."""
    record = from_pits((2, 0, SWAP, 5, 1), PIE)
    assert "\n2-0 swap 5 1\n" in to_text(record)
    assert [move.player for move in record.moves][:4] == [0, 0, 1, 0]
    verify(record)
    assert from_text(to_text(record)) == record
    assert len(list(replay(record))) == len(record.moves) + 1
    with pytest.raises(ValueError, match="pit 16 may not be sown"):
        from_pits((2, SWAP), PIE)


def test_a_stored_swap_is_read_again() -> None:
    """Only games with one are packed in another version."""
    moves = [StoredMove(pit, 1.5, 0.0, forced=False) for pit in (2, 0, SWAP, 15, 1)]
    assert pack(moves)[0] & VERSION_BITS == WITH_SWAP
    assert unpack(pack(moves)) == moves
    assert pack(moves[:2])[0] & VERSION_BITS == VERSION


def test_a_player_that_reports_values_swaps_by_them() -> None:
    """It takes the better side, and as the first player leaves as little to take as it can."""
    player = ValuePlayer()
    rich, poor = "<2,0,5,1,1,1,1>", "<2,5,0,1,1,1,1>"
    for text, swaps in ((rich, True), (poor, False)):
        board = Board.from_text(text, PIE)
        turned = Board(board.rules, board.pits[::-1], board.stores[::-1], 1)
        assert (pie.choose(player, turned, UNLIMITED).pit == SWAP) == swaps
    choice = pie.choose(player, Board.from_text("<3,0,2,1,0,1,0,0,4>", PIE), UNLIMITED)
    assert choice.info is not None
    assert choice.info.value is not None
    assert choice.info.value <= 0


def test_headless_games_ask_only_players_that_know_it() -> None:
    """One that reports no values plays plain boards to the end."""
    ticks = count()
    for second in (AnyPitPlayer(), ValuePlayer()):
        players = AnyPitPlayer(), second
        game = play(Task(1, ("a", "b")), players, conditions(PIE), lambda: next(ticks) / 1e4)
        verify(game.record)
        swaps = [move.pit for move in game.record.moves].count(SWAP)
        assert swaps <= isinstance(second, ValuePlayer)


async def test_a_program_that_says_so_is_asked_to_swap() -> None:
    """Its question ends with a word, and its answer is one; no other program may swap."""
    knows = dialogue_with(Script("ready 2 swap", "", "", "", "swap #2, done #2"))
    await knows.rehearse(KALAH)
    assert await ask(knows, board=AT_SECOND) == SWAP
    asked = knows.process.asked  # type: ignore[attr-defined]  # the script's
    assert asked[-1] == "go 1000000 #2 pie"
    assert not any("pie true" in line for line in asked)
    other = dialogue_with(Script("ready 2", "", "", "", "swap #2"))
    await other.rehearse(KALAH)
    with pytest.raises(BadLineError):
        await ask(other, board=AT_SECOND)
    assert other.process.asked[-1] == "go 1000000 #2"  # type: ignore[attr-defined]  # the script's


def test_an_environment_has_an_action_for_it() -> None:
    """It is the one after the last pit, and the mask says when it is legal."""
    duel = MancalaDuel("kalah:pie=true")
    duel.reset()
    assert not duel.observe("player_0")["action_mask"][6]
    duel.step(0)
    assert duel.observe("player_1")["action_mask"][6]
    duel.step(6)
    assert duel.board == AT_SECOND.sow(SWAP).board
    assert not np.any(duel.observe("player_1")["action_mask"])
    assert len(duel.observe("player_0")["action_mask"]) == 7


def greeted(harness: Harness, name: str, *, knows: bool) -> FakeSeat:
    seat = harness.connect()
    harness.say(seat, wire.Hello("mancala.v1", name, swap=knows))
    return seat


def test_a_server_asks_who_knows_it_and_goes_on_with_who_does_not() -> None:
    """Both sides hear of the swap; only the turn of the bot that knows it says `pie`."""
    harness = Harness(Config(clock=TimeControl(move_ms=1000)))
    ann, bob = greeted(harness, "ann", knows=False), greeted(harness, "bob", knows=True)
    for seat in (ann, bob):
        harness.say(seat, wire.Seek(rules="kalah:pits=2,seeds=2,pie=true", games=2))
    first, second = (ann, bob) if ann.last(wire.GameStart).seat == 0 else (bob, ann)
    for seat, pit in ((first, 1), (second, SWAP), (first, 0)):
        turn = seat.last(wire.Turn)
        assert turn.pie == (seat is bob and turn.ply < 2)
        harness.say(seat, wire.Move(turn.game, turn.ply, pit))
    assert [moved.pit for moved in ann.of(wire.Moved)] == [1, SWAP, 0]
    assert not ann.of(wire.GameOver)
    assert ann.last(wire.Moved) == bob.last(wire.Moved)


def test_a_ladder_with_it_says_so() -> None:
    """A bot that is never asked learns that when it joins."""
    ladder = LadderSettings(name="pie", rules="kalah:pits=7,seeds=7,pie=true")
    harness = Harness(Config(ladder=(ladder,)))
    ann, bob = greeted(harness, "ann", knows=False), greeted(harness, "bob", knows=True)
    for seat in (ann, bob):
        harness.say(seat, wire.Join("pie"))
    assert "never asked to swap" in ann.last(wire.Joined).warning
    assert bob.last(wire.Joined).warning == ""
    assert ann.last(wire.Joined).rules.pie


OPENED: Final = Rules.parse("manchester")
"""The sowing of the start gives no further turn, and a swap may follow it."""


def test_the_sowing_of_the_start_gives_no_further_turn() -> None:
    """The rule is used up by it; JSON, text and key hold it only where it is in force."""
    assert Rules.parse(str(OPENED)) == OPENED
    assert codec.from_json(codec.to_json(OPENED), Rules) == OPENED
    assert b"first_again" not in codec.to_json(KALAH)
    assert OPENED.key.endswith("pie=True first_again=False")
    assert Board.start(OPENED.without_pie).sow(0).again
    sown = Board.start(OPENED).sow(0)
    assert (sown.again, sown.board.player, sown.board.stores) == (False, 1, (1, 0))
    assert sown.board.may_swap
    assert sown.board.rules == Rules(pits=7, seeds=7, pie=True)
    later = Board.from_text("<2,0,0,1,1,2,2>", Rules(pits=2, seeds=2, first_again=False))
    assert later.sow(1).again


def exact(board: Board) -> int:
    if board.is_over:
        return board.score(0)
    best = max if board.player == 0 else min
    return best(exact(board.sow(pit).board) for pit in board.legal())


class ExactPlayer(Player):
    """Plays the first pit, and knows what a board is worth."""

    anytime = True

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:  # noqa: ARG002  # answers at once
        assert not board.rules.opens
        value = exact(board) * (1 if board.player == 0 else -1)
        return Choice(board.legal()[0], wire.Info(value=float(value)))


@pytest.mark.parametrize("is_pie", [True, False])
def test_each_first_sowing_is_valued_exactly(is_pie: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """The best one where no swap follows, else the one that is nearest to a draw."""
    start = Board.start(Rules(pits=2, seeds=3, first_again=False, pie=is_pie))
    values = {pit: exact(start.sow(pit).board.without_pie) for pit in start.legal()}
    worth = {pit: -abs(value) if is_pie else value for pit, value in values.items()}
    assert worth[pie.choose(ExactPlayer(), start, UNLIMITED).pit] == max(worth.values())
    for pit, value in values.items():
        answer = pie.choose(ExactPlayer(), start.sow(pit).board, UNLIMITED).pit
        assert (answer == SWAP) == (is_pie and value > 0)
