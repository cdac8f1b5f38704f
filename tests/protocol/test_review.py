"""Reviews are composed from assessments with one sign, and never mix proofs with estimates."""

from __future__ import annotations

from typing import Any, Final

import pytest
from msgspec.structs import replace

from protocol.messages import Assessment, MoveValue
from protocol.review import (
    GameReview,
    LosingMove,
    PlayedGame,
    Result,
    ReviewError,
    Work,
    check,
    compose,
    result,
    sentence,
)
from protocol.rules import KALAH, Board, Rules

START: Final = Board.start(KALAH)


def values(*, depth: int | None = None, **by_pit: float) -> tuple[MoveValue, ...]:
    """Return values of moves; ``p3=2`` is pit 3."""
    return tuple(MoveValue(int(key[1:]), value, depth) for key, value in by_pit.items())


def reviewed(*assessments: Assessment, pits: tuple[int, ...], loser: int | None) -> GameReview:
    """Return the review of a game from the start with these moves."""
    boards = [START]
    for pit in pits:
        boards.append(boards[-1].sow(pit).board)
    return compose(PlayedGame("g", boards, pits, loser), Work(assessments, 1, "test", 0.5))


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


def test_a_game_lost_from_the_start_names_the_costliest_move() -> None:
    """The loser still learns where most seeds went."""
    review = reviewed(Assessment(0, values(p0=-2, p1=-8), (0,)), pits=(1,), loser=0)
    assert review.losing is not None
    assert (review.losing.loss, review.losing.kept) == (6, Result.LOSS)


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
    assert [result(value, 1) for value in (0.9, -0.9, 2, -2)] == [
        Result.DRAW,
        Result.DRAW,
        Result.LOSS,
        Result.WIN,
    ]


def played(*pits: int) -> PlayedGame:
    """Return a game from the start of a small board."""
    boards = [Board.start(Rules(pits=2, seeds=1))]
    for pit in pits:
        boards.append(boards[-1].sow(pit).board)
    return PlayedGame("g", boards, pits, None)


SMALL: Final = (
    Assessment(0, values(p0=0, p1=2), (1, 0)),
    Assessment(1, values(p0=2), (0,)),
)


def test_a_review_that_the_rules_allow_stands() -> None:
    """Every value is possible, and every line can be played."""
    check(played(1, 0), SMALL)


@pytest.mark.parametrize(
    ("ply", "changed"),
    [
        (0, {"ply": 1}),
        (0, {"moves": values(p0=0)}),
        (0, {"moves": values(p1=2, p0=0)}),
        (0, {"moves": values(p0=0, p1=6)}),
        (0, {"moves": values(p0=0, p1=1)}),
        (0, {"line": (0,)}),
        (0, {"line": (1, 1)}),
        (0, {"depth": 4}),
        (0, {"moves": (*values(p0=0), *values(p1=2, depth=3))}),
        (0, {"moves": values(p0=-2, p1=0)}),
        (1, {"moves": values(p0=0)}),
    ],
)
def test_a_review_that_contradicts_the_rules_or_itself_is_refused(
    ply: int, changed: dict[str, Any]
) -> None:
    """A reviewer is not believed what cannot be."""
    found = list(SMALL)
    found[ply] = replace(found[ply], **changed)
    with pytest.raises(ReviewError):
        check(played(1, 0), found)


def test_a_review_of_too_few_plies_is_refused() -> None:
    """Every move has a value."""
    with pytest.raises(ReviewError, match="2 plies"):
        check(played(1, 0), SMALL[:1])


@pytest.mark.parametrize(
    ("kept", "proven", "said"),
    [
        (Result.DRAW, True, "ply 17: pit 3 loses 4 seeds; pit 5 kept the draw, proven"),
        (
            Result.LOSS,
            False,
            "ply 17: pit 3 loses 4 seeds against pit 5 in a lost position, estimated",
        ),
    ],
)
def test_the_losing_move_is_named_in_a_sentence(kept: Result, *, proven: bool, said: str) -> None:
    """As a person reads it."""
    assert sentence(LosingMove(17, 0, 3, 4.0, 5, kept, proven)) == said
