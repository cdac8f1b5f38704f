"""The net of the evaluation: it learns, repeats itself, and the kernels add it up alike."""

from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest

from mancala.engine import kernels
from mancala.engine.evaluation.weights import Net, Weights, shared, shipped
from mancala.engine.kernels import state
from mancala.engine.search.engine import EngineOptions
from mancala.engine.search.fixed_nodes import FixedNodeSearch
from mancala.engine.search.worker import position_of
from mancala.engine.tuning import fit
from mancala.engine.tuning import net as tuning
from mancala.engine.tuning.fit import LabelledPosition
from mancala.protocol.rules import KALAH, Board, Rules


@pytest.fixture(scope="module")
def examples() -> list[LabelledPosition]:
    """Return positions with what the shipped features and the parity of a pit make of them."""
    boards = [board.text for board in islice(fit.samples(Random(8), tuning.ANY), 4000)]
    inputs = tuning.inputs_of([LabelledPosition(text, 0.0) for text in boards], shipped().linear)
    odd = [int(text[1:-1].split(",")[3]) % 2 for text in boards]
    return [
        LabelledPosition(text, float(value) + 6 * bit)
        for text, value, bit in zip(boards, inputs.linear, odd, strict=True)
    ]


@pytest.fixture(scope="module")
def inputs(examples: list[LabelledPosition]) -> tuning.Inputs:
    return tuning.inputs_of(examples, shipped().linear)


def trained(inputs: tuning.Inputs, seed: int = 1) -> Net:
    return tuning.train(inputs, seed=seed, epoch_done=lambda _: None)


def test_a_net_learns_what_the_features_do_not_say(inputs: tuning.Inputs) -> None:
    """The error on positions held out falls well below the features' own."""
    before = tuning.errors_by_seeds(inputs, None)["all"].rms
    assert tuning.errors_by_seeds(inputs, trained(inputs))["all"].rms < 0.7 * before


def test_a_net_repeats_itself(inputs: tuning.Inputs) -> None:
    """The same positions and the same seed make the same net; another seed makes another."""
    assert trained(inputs) == trained(inputs)
    assert trained(inputs) != trained(inputs, seed=2)


def static_value(search: state.Search, board: Board) -> float:
    """Return what the kernels say of a board without a search, in seeds."""
    return int(kernels.static_value(search, position_of(board))) / kernels.UNIT


def test_the_kernels_evaluate_as_the_training_does(
    examples: list[LabelledPosition], inputs: tuning.Inputs
) -> None:
    """What the errors are measured on is what the search adds up, to the last unit."""
    net = trained(inputs)
    weights = replace(shipped(), net=net)
    search = state.new_search(KALAH, weights.compiled(KALAH))
    estimates = tuning.estimates(inputs, net)
    for example, estimate in zip(examples[:300], estimates[:300], strict=True):
        assert static_value(search, Board.from_text(example.board, KALAH)) == estimate


def test_counts_never_seen_weigh_as_the_next_smaller_one(inputs: tuning.Inputs) -> None:
    """No row keeps the random numbers that it began with."""
    net = trained(inputs)
    seen = np.bincount(inputs.rows[~inputs.held].ravel(), minlength=inputs.rows_in_all)
    rare = np.flatnonzero(seen < tuning.RARE)
    rare = rare[~np.isin(rare, inputs.firsts)]
    assert rare.size
    assert all(net.rows[row] == net.rows[row - 1] for row in rare)


def test_labels_depend_on_seed_and_number_alone() -> None:
    """What was searched before leaves no trace in a batch."""
    options = EngineOptions(book=False, cache=None, tables=10).with_weights(Weights())
    search = FixedNodeSearch(KALAH, options, nodes=tuning.LABEL_NODES)
    first = tuning.batch(7, 2, 20, search)
    assert first
    assert tuning.batch(7, 3, 20, search) != first
    assert tuning.batch(7, 2, 20, search) == first


def test_the_kernels_evaluate_every_width_as_the_training_does() -> None:
    """The net that all other widths share: to the last unit, pits known by their distance."""
    boards = list(islice(fit.samples(Random(9), tuning.WIDE, tuning.WIDE_STARTS), 400))
    examples = [LabelledPosition(board.text, 0.0) for board in boards]
    weights = shared()
    estimates = tuning.estimates(tuning.wide_inputs_of(examples, weights), weights.net)
    widths = set()
    for board, estimate in zip(boards, estimates, strict=True):
        search = state.new_search(board.rules, weights.compiled(board.rules))
        assert static_value(search, board) == estimate
        widths.add(board.rules.pits)
    assert widths == set(tuning.WIDTHS)


def test_the_shared_net_explains_what_searches_find() -> None:
    """On wide boards it comes nearer to the values of searches than the features do."""
    rules = Rules(pits=9)
    starts = [Rules(pits=9, seeds=seeds) for seeds in (4, 6)]
    boards = islice(fit.samples(Random(10), tuning.WIDE, starts), 300)
    search = FixedNodeSearch(rules, EngineOptions(), nodes=1000)
    inputs = tuning.wide_inputs_of(tuning.label(boards, search), shared())
    held = replace(inputs, held=np.ones(len(inputs.values), dtype=bool))
    errors = [tuning.errors_by_seeds(held, net)["all"].rms for net in (shared().net, None)]
    assert errors[0] < 0.8 * errors[1]
