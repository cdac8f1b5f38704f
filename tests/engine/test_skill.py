"""Levels below the engine's: weaker, by human errors, and the same again from the same seed."""

from collections import Counter
from itertools import pairwise

import pytest

from mancala.engine.evaluation.features import NAMES
from mancala.engine.evaluation.weights import Weights
from mancala.engine.search.reports import Limit
from mancala.engine.skill import FULL_LEVEL, HANDICAPS, SkillLevel, SkillPlayer
from mancala.protocol.rules import KALAH, Board, Rules

LEVELS = range(1, FULL_LEVEL)
TRAP = Board.from_text("<6,0,0,1,0,3,0,0,6,3,1,0,0,9,4>", KALAH)
"""Pit 0 captures ten, and loses the game by what the other side does then."""
WIDE = Rules(pits=12, seeds=4)


def player_of(level: int, *, seed: int = 1) -> SkillPlayer:
    return SkillPlayer(SkillLevel(level=level, seed=seed))


def game_of(player: SkillPlayer, number: int) -> list[int]:
    board, pits = Board.start(KALAH), []
    while not board.is_over:
        pits.append(player.choose(board, Limit(), game=number).pit)
        board = board.sow(pits[-1]).board
    return pits


@pytest.mark.parametrize("level", LEVELS)
def test_a_game_repeats_itself_and_the_next_one_is_another(level: int) -> None:
    """The seed and the game's number decide the moves, whatever was played before."""
    player = player_of(level)
    first, second = game_of(player, 0), game_of(player, 1)
    assert first != second
    assert game_of(player, 0) == first
    assert game_of(player_of(level), 1) == second
    assert game_of(player_of(level, seed=2), 0) != first


@pytest.mark.parametrize("rules", [KALAH, WIDE, Rules.parse("article"), Rules(pits=1, seeds=3)])
@pytest.mark.parametrize("level", [1, 5, 9])
def test_every_level_plays_by_every_rule(level: int, rules: Rules) -> None:
    """On other boards a level plays legal moves to the end, and reports each move's worth."""
    player, board = player_of(level), Board.start(rules)
    while not board.is_over:
        report = player.choose(board, Limit())
        assert sorted(move.pit for move in report.moves) == list(board.legal())
        assert report.moves[0].pit == report.pit
        assert report.nodes <= HANDICAPS[level - 1].nodes
        board = board.sow(report.pit).board


def test_a_beginner_walks_into_a_trap_that_a_good_player_sees() -> None:
    """Low levels take the capture that is there; high ones see the answer, but for an oversight."""
    for level, greedy in ((1, True), (2, True), (8, False), (9, False)):
        taken = Counter(player_of(level).choose(TRAP, Limit(), game=n).pit for n in range(100))
        assert (taken[0] > 60) is greedy, f"level {level}: {taken}"
        assert (taken[0] < 20) is not greedy, f"level {level}: {taken}"


def test_a_high_level_loses_less_a_move_than_a_low_one() -> None:
    """By the belief of level 9, what levels 1, 5 and 9 choose costs less and less."""
    judge = player_of(9)
    board = Board.from_text("<6,3,2,1,5,0,6,2,4,3,0,4,6,1,11>", KALAH)
    moves = judge.choose(board, Limit()).moves
    worth = {move.pit: move.value for move in moves if move.value is not None}
    assert len(worth) == len(moves)
    costs = []
    for level in (1, 5, 9):
        player = player_of(level)
        chosen = [player.choose(board, Limit(), game=number).pit for number in range(200)]
        costs.append(sum(max(worth.values()) - worth[pit] for pit in chosen))
    assert all(higher < lower for lower, higher in pairwise(costs)), costs


@pytest.mark.parametrize(
    ("limit", "depth", "nodes"),
    [
        (Limit(depth=2), 2, HANDICAPS[6].nodes),
        (Limit(nodes=1), 1, 1),
        (Limit(nodes=50), HANDICAPS[6].plies, 50),
        (Limit(time_s=0.0), 1, 0),
        (Limit(depth=60, nodes=10**9, time_s=3600.0), HANDICAPS[6].plies, HANDICAPS[6].nodes),
    ],
)
def test_the_smaller_of_level_and_limit_counts(limit: Limit, depth: int, nodes: int) -> None:
    """A limit takes effort away from a level and adds none; a glance at each move is always had."""
    report = player_of(7).choose(Board.start(KALAH), limit)
    assert report.depth <= depth
    assert report.nodes <= nodes
    if limit.depth is not None:
        assert report.depth == depth


def test_weights_are_what_a_high_level_feels_and_a_beginner_does_not() -> None:
    """The first level counts stores, whatever the weights; the last has all of them."""
    nothing = Weights(values=dict.fromkeys(NAMES, 0.0))
    for level, differ in ((1, False), (9, True)):
        with_weights, without = (
            SkillPlayer(SkillLevel(level=level, weights=weights)).choose(
                Board.start(KALAH), Limit()
            )
            for weights in (SkillLevel(level=level).weights, nothing)
        )
        values = [{move.pit: move.value for move in r.moves} for r in (with_weights, without)]
        assert (values[0] != values[1]) is differ


def test_levels_let_their_player_down_less_and_less() -> None:
    """From level to level nothing gets worse: sight, insight, oversight."""
    for low, high in pairwise(HANDICAPS):
        assert low.plies <= high.plies
        assert low.nodes <= high.nodes
        assert low.insight <= high.insight
        assert low.oversight > high.oversight


@pytest.mark.parametrize("level", [0, FULL_LEVEL, -1])
def test_there_are_nine_skill_levels(level: int) -> None:
    """Level 10 is the engine itself, and others there are none."""
    with pytest.raises(ValueError, match=r"level must be 1\.\.9"):
        SkillLevel(level=level)


def test_nothing_can_be_chosen_when_the_game_is_over() -> None:
    """A board that is over is refused by its text."""
    over = Board.from_text("<6,24,24,0,0,0,0,0,0,0,0,0,0,0,0>", KALAH)
    with pytest.raises(ValueError, match="the game is over"):
        player_of(3).choose(over, Limit())
