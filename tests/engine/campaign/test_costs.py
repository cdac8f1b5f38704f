"""Costs of subproofs are fitted to what finished ones took."""

import pytest

from mancala.engine.campaign.costs import Costs, check_nodes, leaf_nodes


def test_the_growth_of_finished_subproofs_is_found() -> None:
    """Subproofs that double with every seed end with a growth near two."""
    costs = Costs(table_seeds=10)
    for seeds in range(12, 40):
        for _ in range(20):
            costs.add(seeds, 2 ** (seeds - 10), finished=True)
    assert costs.fit.growth == pytest.approx(1.0, abs=0.05)
    assert costs.usual(30) == pytest.approx(2.0**20, rel=0.5)


def test_the_mean_counts_the_few_that_take_long() -> None:
    """Where one subproof of ten takes a hundred times as long, the mean is far above the usual."""
    costs = Costs(10)
    for _ in range(100):
        for nodes in [1000] * 9 + [100_000]:
            costs.add(30, nodes, finished=True)
    assert 1000 < costs.usual(30) < 3000
    assert costs.mean(30) == pytest.approx(10_900, rel=0.5)


def test_a_subproof_that_was_given_up_counts_for_more() -> None:
    """What took long in vain raises the expectation more than a proof that took as long."""
    finished, given_up = Costs(10), Costs(10)
    finished.add(50, 1 << 30, finished=True)
    given_up.add(50, 1 << 30, finished=False)
    assert given_up.usual(50) > finished.usual(50)


def test_leaves_of_a_certificate_take_more_with_smaller_tables() -> None:
    """Those of Kalah(6,6), of 62 seeds, took 2 million nodes each with tables of 30."""
    assert 5e5 < leaf_nodes(62, 30) < 8e6
    assert leaf_nodes(62, 16) > 50 * leaf_nodes(62, 30)
    assert leaf_nodes(12, 16) < 100


def test_a_check_takes_no_more_than_the_campaign_with_its_tables() -> None:
    """The leaves of Kalah(4,10) took 3.9 M nodes, of a campaign's 5.9 M; by seeds alone 25 G."""
    assert 3.9e6 < check_nodes(5_923_506, [71] * 30, 24, 24) < 3 * 3.9e6
    assert check_nodes(5_923_506, [71] * 30, 20, 24) == 4 * 5_923_506
    assert check_nodes(3_397_600_000, [62] * 3557, 16, 16) > 1e11


def test_proofs_without_nodes_say_nothing() -> None:
    """A subproof that the table answered leaves the expectation as it was."""
    costs = Costs(10)
    before = costs.usual(30)
    costs.add(30, 0, finished=True)
    assert costs.usual(30) == before
