"""What remains is estimated by sampled ways through the tree."""

import pytest

from mancala.engine.campaign.campaign import estimate
from mancala.engine.campaign.costs import Costs
from mancala.engine.campaign.tree import ProofTree
from mancala.protocol.rules import Board, Rules

START = Board.start(Rules.parse("kalah:pits=3,seeds=3"))


def test_a_leaf_is_expected_to_take_its_mean() -> None:
    """Without a split, what remains is the mean cost of such a subproof, without an error."""
    costs = Costs(0)
    tree = ProofTree(costs)
    left = estimate(tree, costs, tree.node(START, 2))
    assert left.nodes == pytest.approx(costs.mean(START.in_play))
    assert left.error == pytest.approx(0.0, abs=1e-6 * left.nodes)
    assert left.largest == START.in_play


def test_every_move_counts_where_the_losing_side_moves() -> None:
    """A question that seems lost for its mover takes the sum of all moves."""
    costs = Costs(0)
    tree = ProofTree(costs)
    root = tree.node(START, 8)
    tree.estimates[START.text] = -10.0
    tree.split(root, {})
    left = estimate(tree, costs, root)
    total = sum(costs.mean(below.board.in_play) for _, below in root.below)
    assert root.no < root.yes or left.nodes < total
    if root.no < root.yes:
        assert left.nodes == pytest.approx(total, abs=4 * left.error + 1e-6)


def test_subproofs_under_way_count_whole() -> None:
    """They were left out, and with as many provers as leaves there was no estimate."""
    costs = Costs(0)
    tree = ProofTree(costs)
    root = tree.node(START, 8)
    tree.split(root, {})
    before = estimate(tree, costs, root)
    while root.is_open:
        tree.assume(tree.next_leaf(root))
    with tree.nothing_assumed():
        assert estimate(tree, costs, root) == before
    assert not root.is_open
