"""Trees with a utility for each player."""

from random import Random

import pytest

from mancala.engine.classics.lecture.game_tree import NodeKind, TreeError, value_of
from mancala.engine.classics.lecture.tree_text import write
from mancala.engine.classics.lecture.utilities import solve
from tests.engine.classics.lecture.random_trees import generator, random_tree


def test_each_player_takes_what_is_best_for_itself() -> None:
    """The second player takes 6 and 2 for itself, so the first takes the right child."""
    root = solve("((3,1 0,6) (2,2 9,0))")
    assert (root.player, root.utilities, root.best) == (0, (2, 2), 1)
    assert [child.utilities for child in root.children] == [(0, 6), (2, 2)]


def test_what_one_gains_the_other_loses_is_minimax() -> None:
    """With two players whose numbers cancel out, the root is worth the minimax value."""
    rng = generator()
    for _ in range(50):
        text, value = _zero_sum(rng)
        assert solve(text).utilities == (value, -value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "one number for each player"),
        ("(1,2 3,4,5)", "one number for each player"),
        ("(1,2", "not closed"),
        ("(1,2) 3,4", "more after the tree"),
        ("(1,2 a)", "not numbers joined by commas"),
        ("(" * 100 + "1,2" + ")" * 100, "over 64 levels"),
        ("(" + "1,2 " * 6000 + ")", "at most 5000 leaves"),
    ],
)
def test_a_text_that_is_no_tree_is_refused(text: str, what: str) -> None:
    """The message names what was wrong."""
    with pytest.raises(TreeError, match=what):
        solve(text)


def _zero_sum(rng: Random) -> tuple[str, float]:
    while True:
        tree = random_tree(rng, 3)
        replies = {child.kind for child in tree.children}
        below = {grand.kind for child in tree.children for grand in child.children}
        if (tree.kind, replies, below) == (NodeKind.MAX, {NodeKind.MIN}, {NodeKind.MAX}):
            return _pairs(write(tree)), value_of(tree)


def _pairs(text: str) -> str:
    words = text.replace("max", "").replace("min", "").replace("(", " ( ").replace(")", " ) ")
    return " ".join(word if word in "()" else f"{word},{-float(word):g}" for word in words.split())
