"""Games that come by the batch are recorded as the referee would record them."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from msgspec import structs

from mancala.engine.classics import RandomPlayer
from mancala.protocol.batch import BatchedGame
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.player import Player
from mancala.protocol.record import GameRecord, verify
from mancala.protocol.rules import PRESETS, Board
from mancala.server.contest.headless.batches import CHECK_EVERY, BatchError, can_batch, play_batch
from mancala.server.contest.headless.game import Conditions, Task, play

CONDITIONS = Conditions(PRESETS["kalah"], TimeControl(move_ms=1000), 0.1, seed=5)


class OneByOne:
    """Plays a batch by asking players; ``elapsed_ms`` is what each move claims to have taken."""

    def __init__(self, elapsed_ms: float = 0.25) -> None:
        self.elapsed_ms = elapsed_ms

    def play(
        self, openings: Sequence[Board], seeds: Sequence[tuple[int, int]]
    ) -> list[BatchedGame | None]:
        return [self.game(board, pair) for board, pair in zip(openings, seeds, strict=True)]

    def game(self, board: Board, seeds: tuple[int, int]) -> BatchedGame:
        players = random_pair()
        movers, pits = [], []
        for player, seed in zip(players, seeds, strict=True):
            player.new_game(seed)
        while not board.is_over:
            movers.append(board.player)
            pits.append(players[board.player].choose(board).pit)
            board = board.sow(pits[-1]).board
        times = [self.elapsed_ms] * len(pits)
        return BatchedGame(movers, pits, times, None, board.settled().stores)


class Cheat(OneByOne):
    """Claims one seed more for the first player."""

    def game(self, board: Board, seeds: tuple[int, int]) -> BatchedGame:
        game = super().game(board, seeds)
        return game._replace(stores=(game.stores[0] + 1, game.stores[1] - 1))


def random_pair() -> tuple[Player, Player]:
    return RandomPlayer(), RandomPlayer()


def tasks(count: int, *, first: int = 0) -> list[Task]:
    rng = Random(3)
    openings = ["", Board.start().sow(2).board.text, "<6,1,0,4,4,4,4,0,5,0,5,5,5,4,4>"]
    return [Task(first + at, ("ada", "bob"), rng.choice(openings)) for at in range(count)]


def untimed(record: GameRecord) -> GameRecord:
    moves = tuple(structs.replace(move, elapsed_ms=None) for move in record.moves)
    return structs.replace(record, moves=moves, started_at=None, ended_at=None)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=str)
def test_records_equal_those_of_games_played_under_the_referee(rules: object) -> None:
    """All but the times is the same, for every game and every preset."""
    conditions = structs.replace(CONDITIONS, rules=rules)
    for task, game in zip(tasks(30), play_batch(tasks(30), OneByOne(), conditions), strict=True):
        assert game is not None
        assert untimed(game.record) == untimed(
            play(task, random_pair(), conditions, lambda: 0.0).record
        )
        verify(game.record)


def test_a_result_that_the_referee_does_not_have_stops_the_event() -> None:
    """The first game of each event is checked, and one in a hundred of the others."""
    for number in (0, CHECK_EVERY, 7 * CHECK_EVERY):
        with pytest.raises(BatchError, match=f"game {number}"):
            play_batch(tasks(1, first=number), Cheat(), CONDITIONS)


def test_an_answer_that_came_too_late_loses_as_it_does_elsewhere() -> None:
    """The referee gets the times that were measured, and its record ends with the late answer."""
    (game,) = play_batch(tasks(1, first=1), OneByOne(1000.5), CONDITIONS)
    assert game is not None
    assert game.record.result is not None
    assert (game.record.result.winner, game.record.result.reason) == (1, Reason.TIMEOUT)
    assert game.record.moves == ()
    assert game.facts.forfeiter == "ada"


def test_an_untimed_player_is_never_late() -> None:
    """Its moves take no time in the record, which the referee confirms."""
    untimed = structs.replace(CONDITIONS, untimed=tasks(1)[0].players)
    for number in (0, 1):
        (game,) = play_batch(tasks(1, first=number), OneByOne(1000.5), untimed)
        assert game is not None
        assert game.facts.reason is Reason.NORMAL
        assert {move.elapsed_ms for move in game.record.moves} == {0.0}


def test_the_times_of_games_follow_one_another() -> None:
    """A game begins when the one before it has ended."""
    games = [game.record for game in play_batch(tasks(3), OneByOne(), CONDITIONS) if game]
    for one, after in pairwise(games):
        assert one.started_at is not None
        assert one.ended_at is not None
        assert one.started_at < one.ended_at == after.started_at


def test_clocks_with_banks_are_left_to_the_referee() -> None:
    """What a bank holds depends on every move before."""
    assert can_batch(CONDITIONS)
    assert not can_batch(structs.replace(CONDITIONS, clock=TimeControl(bank_ms=60_000)))
