"""Reviews are composed from assessments with one sign, and never mix proofs with estimates."""

from typing import Any, Final

import pytest
from msgspec import Struct
from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.messages import Assessment, MoveValue
from mancala.protocol.review import (
    GameReview,
    LosingMove,
    Lost,
    PlayerReview,
    Result,
    ResultChange,
    ReviewedGame,
    ReviewedMove,
    ReviewedPly,
    ReviewError,
    ReviewWork,
    Tally,
    check,
    compose,
    costliest,
    how_lost,
    result,
    sentence,
    tally,
)
from mancala.protocol.rules import KALAH, Board, Rules

START: Final = Board.start(KALAH)


def values(*, depth: int | None = None, **by_pit: float) -> tuple[MoveValue, ...]:
    """Return values of moves; ``p3=2`` is pit 3."""
    return tuple(MoveValue(int(key[1:]), value, depth) for key, value in by_pit.items())


def reviewed(*assessments: Assessment, pits: tuple[int, ...], loser: int | None) -> GameReview:
    boards = [START]
    for pit in pits:
        boards.append(boards[-1].sow(pit).board)
    return compose(ReviewedGame("g", boards, pits, loser), ReviewWork(assessments, 1, "test", 0.5))


def test_losses_are_the_movers_whichever_sign_the_values_have() -> None:
    """Player 1 loses what the value rises, player 0 what it falls."""
    review = reviewed(
        Assessment(0, values(p0=2, p1=-4), (0,)),
        Assessment(1, values(p0=-6, p3=2), (0,)),
        pits=(1, 3),
        loser=1,
    )
    assert [(ply.player, ply.loss) for ply in review.plies] == [(0, 6), (1, 8)]


def test_the_losing_move_is_the_losers_last_that_gave_a_draw_or_a_win_away() -> None:
    """The sentence on the page is made of these facts."""
    review = reviewed(
        Assessment(0, values(p0=-2, p1=0), (1,)),
        Assessment(1, values(p0=-2, p3=0), (0,)),
        pits=(0, 0),
        loser=0,
    )
    assert review.losing is not None
    losing = review.losing
    assert (losing.ply, losing.pit, losing.best, losing.loss) == (0, 0, 1, 2)
    assert (losing.kept, losing.proven) == (Result.DRAW, True)
    assert [change.after for change in review.changes] == [Result.LOSS]


def test_a_game_lost_from_the_start_has_no_losing_move() -> None:
    """The loser still learns where most seeds went."""
    review = reviewed(Assessment(0, values(p0=-2, p1=-8), (0,)), pits=(1,), loser=0)
    assert review.losing is None
    assert how_lost(review.plies, 0) is Lost.FROM_START
    worst = costliest(review.plies, 0)
    assert worst is not None
    assert (worst.ply, worst.loss) == (0, 6)


def test_no_figure_is_minus_zero() -> None:
    """A value of nothing has no sign, whatever a reviewer sent."""
    moves = (MoveValue(0, -0.0, None), MoveValue(1, -0.0, None))
    review = reviewed(Assessment(0, moves, (0,)), pits=(1,), loser=None)
    assert b"-0.0" not in codec.to_json(review)


def test_proven_and_estimated_losses_are_counted_apart() -> None:
    """One unproven value makes the loss an estimate."""
    review = reviewed(
        Assessment(0, (*values(p0=2), *values(p1=-1.5, depth=9)), (0,)),
        Assessment(1, values(p0=-2, p3=0), (0,)),
        pits=(1, 3),
        loser=None,
    )
    first, second = review.players
    assert (first.proven.moves, first.estimated.lost) == (0, 3.5)
    assert (second.proven.lost, second.estimated.moves) == (2, 0)
    assert review.proven == 0.5
    assert review.losing is None


def test_small_estimates_are_draws() -> None:
    """Less than a seed decides nothing."""
    assert [result(value, 1) for value in (0.9, -0.9, 2, -2, 1, -1)] == [
        Result.DRAW,
        Result.DRAW,
        Result.LOSS,
        Result.WIN,
        Result.LOSS,
        Result.WIN,
    ]


def played(*pits: int) -> ReviewedGame:
    boards = [Board.start(Rules(pits=2, seeds=1))]
    for pit in pits:
        boards.append(boards[-1].sow(pit).board)
    return ReviewedGame("g", boards, pits, None)


SMALL: Final = (Assessment(0, values(p0=0, p1=2), (1, 0)), Assessment(1, values(p0=2), (0,)))


def test_a_review_that_the_rules_allow_stands() -> None:
    """Every value is possible, and every line can be played."""
    check(played(1, 0), SMALL)


@pytest.mark.parametrize(
    ("ply", "changed", "complaint"),
    [
        (0, {"ply": 1}, "ply 0: it is called ply 1"),
        (1, {"ply": 0}, "ply 1: it is called ply 0"),
        (0, {"moves": values(p0=0)}, r"ply 0: the legal moves are \(0, 1\)"),
        (0, {"moves": values(p1=2, p0=0)}, "ply 0: the legal moves"),
        (0, {"moves": values(p0=0, p1=6)}, "ply 0: pit 1 cannot be worth 6"),
        (0, {"moves": values(p0=-6, p1=2)}, "ply 0: pit 0 cannot be worth -6"),
        (0, {"moves": values(p0=0, p1=1)}, "ply 0: pit 1 cannot be worth exactly 1"),
        (0, {"line": (0,)}, "ply 0: pit 0 is not the best"),
        (0, {"line": (1, 1)}, "ply 0: the line cannot be played"),
        (0, {"depth": 4}, "ply 0: what is proven"),
        (0, {"moves": (*values(p0=0), *values(p1=2, depth=3))}, "ply 0: what is proven"),
        (0, {"moves": values(p0=-2, p1=0)}, "ply 0: the value of the move is not that of"),
        (1, {"moves": values(p0=0)}, "ply 1: pit 0 cannot be worth 0"),
    ],
)
def test_a_review_that_contradicts_the_rules_or_itself_is_refused(
    ply: int, changed: dict[str, Any], complaint: str
) -> None:
    """The error says where, and what cannot be."""
    found = list(SMALL)
    found[ply] = replace(found[ply], **changed)
    with pytest.raises(ReviewError, match=complaint):
        check(played(1, 0), found)


def test_a_review_has_as_many_plies_as_the_game() -> None:
    """Every move has a value, and nothing else has."""
    for found in (SMALL[:1], (*SMALL, SMALL[1])):
        with pytest.raises(ReviewError, match="2 plies"):
            check(played(1, 0), found)


def single(
    board: Board, line: tuple[int, ...], *moves: MoveValue, depth: int | None = None
) -> None:
    check(ReviewedGame("g", [board], [line[0]], None), [Assessment(0, moves, line, depth)])


def test_a_value_is_at_most_what_is_left_in_play() -> None:
    """With stores of 3 and 1 after the move and six seeds in the pits, -4 to 8."""
    board = Board.from_text("<2,2,1,1,2,2,2>")
    for value in (-4, 8):
        single(board, (1,), MoveValue(0, -4, None), MoveValue(1, value, None))
    for value in (-6, 10):
        with pytest.raises(ReviewError, match=f"pit 1 cannot be worth {value}"):
            single(board, (1,), MoveValue(0, -4, None), MoveValue(1, value, None))


def test_a_move_that_ends_the_game_is_worth_its_score() -> None:
    """Seeds that remain are their owner's: 6 against 4."""
    board = Board.from_text("<2,5,0,0,1,2,2>")
    single(board, (1,), MoveValue(1, 2, None))
    for value in (0, 4, 6):
        with pytest.raises(ReviewError, match=f"pit 1 cannot be worth {value}"):
            single(board, (1,), MoveValue(1, value, None))


def test_a_game_that_ends_by_majority_may_be_worth_an_odd_number() -> None:
    """Seeds stay in the pits then; half a seed is still no proven value, but an estimate."""
    board = Board.from_text("<2,2,1,1,2,2,2>", Rules(majority=True))
    single(board, (1,), MoveValue(0, -3, None), MoveValue(1, 3, None))
    with pytest.raises(ReviewError, match=r"exactly 2\.5"):
        single(board, (1,), MoveValue(0, -3, None), MoveValue(1, 2.5, None))
    single(board, (1,), MoveValue(0, -3, 4), MoveValue(1, 2.5, 4), depth=4)


def test_player_1_prefers_small_values() -> None:
    """Also where they differ by less than a seed."""
    board = Board(Rules(pits=2, seeds=2), ((2, 2), (1, 2)), (1, 2), player=1)
    low, high = MoveValue(0, -1.5, 3), MoveValue(1, -1.0, 3)
    single(board, (0,), low, high, depth=3)
    with pytest.raises(ReviewError, match="pit 1 is not the best"):
        single(board, (1,), low, high, depth=3)
    with pytest.raises(ReviewError, match="pit 0 is not the best"):
        single(replace_player(board), (0,), low, high, depth=3)


def replace_player(board: Board) -> Board:
    return Board(board.rules, board.pits, board.stores, 1 - board.player)


def test_the_next_position_is_worth_its_best_move() -> None:
    """That is the first of its line; the others follow it."""
    first = Assessment(0, values(p0=0, p1=0, p2=2, p3=0, p4=0, p5=0), (2, 5))
    moves = values(p0=-4, p1=0, p3=0, p4=0, p5=2)
    game = ReviewedGame("g", [START, START.sow(2).board], (2, 5), None)
    check(game, [first, Assessment(1, moves, (5, 0))])
    for wrong in (0, 4):
        others = (*moves[:-1], MoveValue(5, wrong, None))
        with pytest.raises(ReviewError, match="ply 0: the value of the move is not that"):
            check(game, [first, Assessment(1, others, (5, 0))])


def test_a_ply_is_reviewed_with_all_its_moves() -> None:
    """The line's first pit is the best; a value above it, by an estimate, loses nothing."""
    moves = (MoveValue(0, 1.5, 9), MoveValue(1, 2.0, None), MoveValue(2, 2.5, 9))
    (ply,) = reviewed(Assessment(0, moves, (1, 2), None), pits=(0,), loser=None).plies
    assert ply == ReviewedPly(
        ply=0,
        player=0,
        pit=0,
        value=2.0,
        proven=True,
        loss=0.5,
        loss_proven=False,
        best=1,
        line=(1, 2),
        moves=(
            ReviewedMove(pit=0, value=1.5, proven=False, loss=0.5, depth=9),
            ReviewedMove(pit=1, value=2.0, proven=True, loss=0.0),
            ReviewedMove(pit=2, value=2.5, proven=False, loss=0.0, depth=9),
        ),
        forced=False,
        depth=None,
    )
    assert repr([ply]) == "[<ply 1: pit 0 loses about 0.5 seeds, estimated; pit 1 is best>]"
    (only,) = reviewed(Assessment(0, moves[1:2], (1,)), pits=(1,), loser=None).plies
    assert only.forced


@pytest.mark.parametrize(
    ("position", "move", "value", "best"),
    [
        (None, None, 2, 1),
        (None, None, 1, 0),
        (5, 5, 2, 1),
        (5, 5, 1.5, 0),
        (None, 5, 2, 0),
        (5, None, 2, 0),
    ],
)
def test_a_move_as_good_and_as_certain_as_the_best_is_the_best(
    position: int | None, move: int | None, value: float, best: int
) -> None:
    """Otherwise it is the reviewer's."""
    moves = (MoveValue(0, 2, position), MoveValue(1, value, move))
    review = reviewed(Assessment(0, moves, (0,), position), pits=(1,), loser=None)
    assert review.plies[0].best == best


Move = tuple[int, float, float]
"""A move with its player, the position's value and its own."""


def lost_by(loser: int, *moves: Move) -> LosingMove | None:
    """Return the losing move of a game in which pit 1 was always sown, and 0 was the best."""
    return review_of(loser, *moves).losing


def review_of(loser: int, *moves: Move, proven: bool = True) -> GameReview:
    """Return the review of a game in which pit 1 was always sown, and 0 was the best."""
    boards = [Board(KALAH, START.pits, START.stores, player) for player, _, _ in moves]
    depth = None if proven else 7
    found = [
        Assessment(ply, values(p0=before, p1=after, p2=before, depth=depth), (0,), depth)
        for ply, (_, before, after) in enumerate(moves)
    ]
    game = ReviewedGame("g", boards, [1] * len(moves), loser)
    return compose(game, ReviewWork(found, 1, "test", 0.5))


def test_the_losing_move_is_the_last_that_turned_the_game() -> None:
    """Not one that gave the win for a draw, none of the opponent's, and none that was made good."""
    moves: tuple[Move, ...] = (
        (1, -4, 4),  # player 1 from a win to a loss
        (0, 6, -6),  # player 0 gives it back
        (1, 0, 2),  # from a draw to a loss
        (0, 0, -8),
        (1, -2, 0),  # player 1 from a win to a draw
        (0, 0, -2),
    )
    losing = lost_by(0, *moves)
    assert losing is not None
    assert (losing.ply, losing.player, losing.loss, losing.kept) == (5, 0, 2, Result.DRAW)
    losing = lost_by(1, *moves[:3])
    assert losing is not None
    assert (losing.ply, losing.kept) == (2, Result.DRAW)
    assert lost_by(1, *moves) is None  # the game stood well for player 1 when it ended


@pytest.mark.parametrize("loser", [0, 1])
@pytest.mark.parametrize(
    ("moves", "how"),
    [
        ([(0, -4.0, -4.5), (1, -20.0, -10.0), (0, -5.0, -5.0)], Lost.FROM_START),
        ([(0, 0.0, -2.0), (1, -2.0, -2.0)], Lost.BY_MOVE),
        ([(0, 0.0, -2.0), (1, -2.0, 4.0), (0, 4.0, 4.0)], Lost.OTHERWISE),
        ([(0, 0.0, -2.0), (1, 2.0, 2.0), (0, -2.0, -2.0)], Lost.UNKNOWN),
        ([], Lost.UNKNOWN),
    ],
    ids=["from the start", "by a move", "on time", "estimates disagree", "no move"],
)
def test_a_loss_is_named_for_what_it_was(loser: int, moves: list[Move], how: Lost) -> None:
    """Only a move that turned the game for good is a losing move."""
    sign = 1 - 2 * loser
    turned = [(abs(player - loser), sign * one, sign * two) for player, one, two in moves]
    review = review_of(loser, *turned, proven=False)
    assert how_lost(review.plies, loser) is how
    assert (review.losing is not None) == (how is Lost.BY_MOVE)


def test_figures_are_sums_and_means() -> None:
    """Of no moves there is no mean, and of no plies nothing is proven."""
    assert tally([0, 0, 1, 4]) == Tally(moves=4, best=2, lost=5, accuracy=0.5, mean_loss=1.25)
    assert tally([]) == Tally(moves=0, best=0, lost=0, accuracy=None, mean_loss=None)
    assert reviewed(pits=(), loser=None).proven == 0.0


@pytest.mark.parametrize(
    ("kind", "omits"),
    [
        (ReviewedMove, True),
        (ReviewedPly, True),
        (GameReview, True),
        (Tally, False),
        (PlayerReview, False),
        (ResultChange, False),
        (LosingMove, False),
    ],
)
def test_a_review_cannot_be_changed(kind: type[Struct], *, omits: bool) -> None:
    """Of the many moves only what is known is written; figures are always whole."""
    config = kind.__struct_config__
    assert (config.frozen, config.omit_defaults) == (True, omits)


@pytest.mark.parametrize(("proven", "certain"), [(True, "proven"), (False, "estimated")])
def test_a_move_that_turned_the_game_is_named_in_a_sentence(*, proven: bool, certain: str) -> None:
    """As a person reads it, the ply as in the page's address."""
    said = (
        f"ply 18: pit 3 turns a draw into a loss and loses 4 seeds; pit 5 kept the draw, {certain}"
    )
    assert sentence(LosingMove(17, 0, 3, 4.0, 5, Result.DRAW, proven)) == said
    change = ResultChange(17, 0, 3, 4.0, 5, Result.DRAW, Result.LOSS, proven)
    assert sentence(change) == said
