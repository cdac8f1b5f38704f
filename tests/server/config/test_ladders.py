"""What an organiser may set of a ladder."""

from typing import Any

import pytest

from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.rules import Rules
from mancala.server.config.games import board_of
from mancala.server.config.ladders import LadderSettings


def test_a_name_is_all_it_takes() -> None:
    """A ladder with nothing but a name works, and is open to all."""
    ladder = LadderSettings(name="main")
    assert ladder.problem() is None
    assert ladder.admits("anybody")
    assert ladder.openings == ()


def test_names_may_be_limited_by_patterns() -> None:
    """Only names that match one of the patterns may join."""
    ladder = LadderSettings(name="main", names=("team-?-*", "ann"))
    admitted = [name for name in ("ann", "anna", "team-a-1", "team-ab") if ladder.admits(name)]
    assert admitted == ["ann", "team-a-1"]


def test_house_bots_may_join_whatever_the_patterns() -> None:
    """They are the organiser's; once their own ladder refused them."""
    ladder = LadderSettings(name="main", names=("team-*",), house={"rock": "random"})
    assert ladder.admits("rock")
    assert not ladder.admits("paper")


def test_openings_are_positions_of_the_ladders_rules() -> None:
    """A literal becomes a position with player 0 to move, under the rules in force."""
    literal = "<6,1,0,0,5,5,5,4,4,4,4,4,4,4,4>"
    board = board_of(literal, Rules.parse("article"))
    assert board.text == literal
    assert board.rules.majority


@pytest.mark.parametrize(
    ("changes", "holder", "fixed"),
    [
        ({}, "nothing", {}),
        ({"house": {"rock": "random"}}, "house", {}),
        (
            {"house": {"rock": "random", "two": "engine:level=2"}},
            "levels",
            {"two": float(LEVEL_ELO[1])},
        ),
        ({"house": {"two": "engine:level=2"}, "rules": "kalah:seeds=6"}, "house", {}),
        ({"house": {"two": "engine:level=2"}, "anchors": {"two": 9.0}}, "anchors", {"two": 9.0}),
    ],
)
def test_levels_hold_the_scale_unless_anchors_do(
    changes: dict[str, Any], holder: str, fixed: dict[str, float]
) -> None:
    """So a rating means the same on each ladder with levels; others say what holds theirs."""
    ladder = LadderSettings(name="main", **changes)
    assert (ladder.scale_holder, ladder.fixed_ratings) == (holder, fixed)
