"""Weights fitted to exact values: the same seed, the same weights, and less error than before."""

import random
from itertools import islice

import pytest

from mancala.engine import kernels, tablebase
from mancala.engine.evaluation.weights import Weights, shipped
from mancala.engine.kernels import state
from mancala.engine.search.engine import Engine, EngineOptions
from mancala.engine.search.solver import Solver
from mancala.engine.search.worker import position_of
from mancala.engine.tuning import fit as tuning
from mancala.engine.tuning.fit import FeatureRows, LabelledPosition
from mancala.protocol.rules import KALAH, Board

SEEDS_IN_TABLES = 12


@pytest.fixture(scope="module")
def solver() -> Solver:
    tables = tablebase.build(state.variant(KALAH), SEEDS_IN_TABLES)
    return Solver(KALAH, tables=tables, table_bits=16)


@pytest.fixture(scope="module")
def examples(solver: Solver) -> list[LabelledPosition]:
    """Label a few positions near the tables, where proofs are quick."""
    boards = islice((b for b in tuning.samples(random.Random(3)) if b.in_play < 24), 400)
    return tuning.label(boards, solver)


@pytest.fixture(scope="module")
def rows(examples: list[LabelledPosition]) -> FeatureRows:
    return tuning.rows_of(examples)


@pytest.fixture(scope="module")
def weights(rows: FeatureRows) -> Weights:
    return tuning.fit(rows, provenance="a test")


def test_sampled_positions_are_the_ones_a_search_evaluates(rng: random.Random) -> None:
    """They go on, hold more seeds than the endgame tables, and few enough to prove."""
    for board in islice(tuning.samples(rng), 200):
        assert not board.is_over
        assert tuning.PROVABLE.fewest <= board.in_play <= tuning.PROVABLE.most
        assert (board.player, board.stores) == (0, (0, 0))


def test_a_batch_depends_on_its_seed_and_number_alone(solver: Solver) -> None:
    """Whatever was labelled before, a batch comes out the same; another number is another."""
    first = tuning.batch(7, 2, 4, solver)
    other = tuning.batch(7, 3, 4, solver)
    assert tuning.batch(7, 2, 4, solver) == first
    assert other != first


def test_positions_of_many_seeds_are_worth_what_a_search_says() -> None:
    """What was searched before leaves no trace: a batch comes out the same, label by label."""
    engine = Engine(options=EngineOptions(book=False, cache=None, table_bits=16))
    engine.warm_up()
    first = tuning.searched_batch(7, 2, 4, engine, 3000)
    tuning.searched_batch(7, 3, 4, engine, 3000)
    assert tuning.searched_batch(7, 2, 4, engine, 3000) == first
    for example in first:
        board = Board.from_text(example.board, KALAH)
        assert tuning.CROWDED.fewest <= board.in_play <= tuning.CROWDED.most
        assert abs(example.value) <= board.in_play


def test_labels_are_the_exact_values(examples: list[LabelledPosition], solver: Solver) -> None:
    """A label is what the best move leads to, the stores left out."""
    for example in examples[:5]:
        *_, solution = solver.solve(Board.from_text(example.board, KALAH), every_move=True)
        assert example.value == max(bounds.low for bounds in solution.moves.values())


def test_rows_evaluate_as_the_kernels_do(
    examples: list[LabelledPosition], weights: Weights
) -> None:
    """The regression sees exactly what the search will: estimates agree to the unit."""
    search = state.new_search(KALAH, weights.compiled(KALAH))
    found = tuning.estimates(tuning.rows_of(examples[:50]), weights)
    for example, estimate in zip(examples[:50], found, strict=True):
        position = position_of(Board.from_text(example.board, KALAH))
        assert int(kernels.static_value(search, position)) / kernels.UNIT == estimate


def test_fitted_weights_are_nearer_to_positions_they_have_not_seen(
    rows: FeatureRows, weights: Weights
) -> None:
    """On the positions held out, the error is far below that of the hand-set weights."""
    held = rows.part(rows.held)
    assert len(held.values) > 10
    assert tuning.error(held, weights).rms < 0.9 * tuning.error(held, Weights()).rms


def test_the_same_positions_give_the_same_weights_in_any_order(
    examples: list[LabelledPosition], weights: Weights
) -> None:
    """Rounding to units leaves nothing of the order of the additions."""
    assert tuning.fit(tuning.rows_of(examples[::-1]), provenance="a test") == weights


def test_the_shipped_weights_explain_what_the_hand_set_ones_do_not(rows: FeatureRows) -> None:
    """The file in the package is fitted, says by which command, and is better than by hand."""
    assert shipped().provenance.startswith("mancala tune --fit")
    assert tuning.error(rows, shipped()).explained > 0.5


def test_errors_are_told_by_seeds_in_play(
    examples: list[LabelledPosition], rows: FeatureRows, rng: random.Random
) -> None:
    """The bands hold all positions, each once, those of many seeds as well."""
    crowded = islice(tuning.samples(rng, tuning.CROWDED), 60)
    others = [LabelledPosition(board.text, 0.0) for board in crowded]
    bands = tuning.errors_by_seeds(rows.and_rows(tuning.rows_of(others)), Weights())
    assert sum(error.positions for error in bands.values()) == len(examples) + 60
