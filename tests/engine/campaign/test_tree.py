"""The tree of questions: what it asks next, and what it concludes."""

import pytest

from mancala.engine.campaign.costs import Costs
from mancala.engine.campaign.tree import ProofTree
from mancala.engine.knowledge import Bounds
from mancala.protocol.rules import Board, Rules

RULES = Rules.parse("kalah:pits=3,seeds=2")
START = Board.start(RULES)


def test_the_move_with_the_best_estimate_is_asked_first() -> None:
    """Of equal moves, the one that seems to reach the threshold is tried first."""
    tree = ProofTree(Costs(0))
    root = tree.node(START, 2)
    moves = {pit: START.sow(pit) for pit in START.legal()}
    estimates = {pit: 6.0 if sowing.again else 0.0 for pit, sowing in moves.items()}
    tree.split(root, estimates)
    leaf = tree.next_leaf(root)
    assert any(move.again for move, below in root.below if below is leaf)


def test_one_good_move_decides_yes_and_all_bad_ones_no() -> None:
    """A threshold is reached once a move reaches it, and missed once every move misses it."""
    for good in (True, False):
        tree = ProofTree(Costs(0))
        root = tree.node(START, 2)
        tree.split(root, {})
        assert root.is_open
        while root.is_open:
            leaf = tree.next_leaf(root)
            move = next(move for move, below in root.below if below is leaf)
            known = tree.known(leaf.board)
            reaches = good == move.again
            if reaches:
                tree.learn(leaf.board, Bounds(leaf.threshold, known.high))
            else:
                tree.learn(leaf.board, Bounds(known.low, leaf.threshold - 2))
        known = tree.known(START)
        assert known.low >= 2 if good else known.high < 2


def test_what_is_proven_of_a_position_serves_every_question_on_it() -> None:
    """An answer decides weaker questions on the same position."""
    tree = ProofTree(Costs(0))
    weak, strong, open_still = (tree.node(START, threshold) for threshold in (0, 4, 6))
    tree.learn(START, Bounds(4, 12))
    assert not weak.is_open
    assert not strong.is_open
    assert open_still.is_open


def test_leaves_that_are_under_way_together_are_all_needed_if_each_is_as_expected() -> None:
    """Where all moves seem to miss a threshold, each is taken once; released, all is as before."""
    tree = ProofTree(Costs(0))
    root = tree.node(START, 8)
    tree.split(root, {pit: -9.0 if START.sow(pit).again else 9.0 for pit in START.legal()})
    before = [(node.yes, node.no) for node in tree.nodes.values()]
    taken = []
    while root.is_open:
        taken.append(tree.next_leaf(root))
        tree.assume(taken[-1])
    assert set(taken) == {below for _, below in root.below}
    assert not tree.is_decided(root)
    for leaf in taken:
        tree.release(leaf)
    assert [(node.yes, node.no) for node in tree.nodes.values()] == before


def test_an_answer_that_was_expected_decides_what_rests_on_it() -> None:
    """It changes no number of its leaf, so that the questions above were not weighed anew."""
    tree = ProofTree(Costs(0))
    root = tree.node(START, 2)
    tree.split(root, {})
    leaf = tree.next_leaf(root)
    tree.assume(leaf)
    again = next(move.again for move, below in root.below if below is leaf)
    known = tree.known(leaf.board)
    reached = Bounds(leaf.threshold, known.high), Bounds(known.low, leaf.threshold - 2)
    tree.release(leaf)
    tree.learn(leaf.board, reached[not again])
    assert tree.is_decided(root)


def test_a_position_without_a_value_is_an_error() -> None:
    """Proofs that contradict one another end the campaign."""
    tree = ProofTree(Costs(0))
    tree.learn(START, Bounds(4, 12))
    with pytest.raises(ArithmeticError, match=START.text):
        tree.learn(START, Bounds(-12, 2))
