"""Trees as text."""

import pytest

from mancala.engine.classics.lecture.game_tree import TreeError
from mancala.engine.classics.lecture.tree_text import parse, write
from tests.engine.classics.lecture.random_trees import generator, random_tree


def test_a_tree_is_written_as_it_is_read() -> None:
    """Kinds, weights and values come back."""
    rng = generator()
    tree = random_tree(rng, 3)
    assert parse(write(tree)) == tree
    assert write(parse("chance(0.8:5 0.2:-3)")) == "chance(0.8:5 0.2:-3)"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "empty"),
        ("(1 2", "not closed"),
        ("()", "holds nothing"),
        ("(1 2) 3", "more after the tree"),
        ("(1 x)", "not a number"),
        ("max 3", "comes a parenthesis, not '3'"),
        ("(0.5:1 0.5:2)", "only a chance node"),
        ("chance(0.5:1 0.9:2)", "add up to 1"),
        ("@4", "after @4 at 0 comes a parenthesis"),
        ("(@4 3)", "after @4 comes a parenthesis, not '3'"),
        ("(" * 100 + ")" * 100, "at most 64 levels"),
    ],
)
def test_a_text_that_is_no_tree_is_refused_with_the_place(text: str, what: str) -> None:
    """The message names what was wrong."""
    with pytest.raises(TreeError, match=what):
        parse(text)


def test_first_sight_and_loud_moves_are_written_as_they_are_read() -> None:
    """``@`` states what the evaluation says of a node, ``!`` what a loud move leads to."""
    tree = parse("(@4!(3 9!) !(-2) 2)")
    first, second, _ = tree.children
    assert (first.static, first.loud, first.children[1].loud) == (4, True, True)
    assert (second.static, second.loud) == (None, True)
    assert write(tree) == "max(min@4!(3 9!) min!(-2) 2)"
    assert parse(write(tree)) == tree


@pytest.mark.parametrize("length", [5_000])
def test_numbers_and_words_of_any_length_are_refused(length: int) -> None:
    """No input takes long to refuse."""
    for text in ("9" * length, "@" + "9" * length, "(" + "1 " * 30_000 + ")"):
        with pytest.raises(TreeError):
            parse(text)
