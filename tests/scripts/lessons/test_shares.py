"""A general-sum tree as lines of text."""

from mancala.engine.classics.lecture.utilities import solve
from mancala.scripts.lessons.trees import best_line, share_lines

TREE = solve("((3,1 0,6) (2,2 9,0))")


def test_every_node_is_a_line_with_its_utilities() -> None:
    """The line that is played is doubled, and each node says who decides there."""
    assert list(share_lines(TREE)) == [
        "player 1 (2, 2)",
        "├─ player 2 (0, 6)",
        "│  ├─ (3, 1)",
        "│  └─ (0, 6)",
        "└═ player 2 (2, 2)",
        "   ├═ (2, 2)",
        "   └─ (9, 0)",
    ]


def test_the_line_that_is_played_is_named_by_children() -> None:
    """From the root, counted from 0."""
    assert best_line(TREE) == [1, 0]
