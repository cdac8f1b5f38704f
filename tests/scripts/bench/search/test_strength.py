"""The measure of strength: what a move loses, on positions whose every move is proven."""

import shutil
import subprocess
from dataclasses import replace
from importlib import resources
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from mancala.engine.evaluation.weights import Weights
from mancala.engine.kernels.state import no_tables
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.engine.search.solver import Solver
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import KALAH, Board
from mancala.scripts.bench.search import strength
from mancala.scripts.bench.search.strength import MoveCost
from tests.sources import ROOT

POSITION = ProvenPosition(0, "", "<6,0,0,6,1,2,7,0,0,0,0,2,0,8,8>", {0: 2, 1: 4, 2: 0, 3: -2})


@pytest.mark.parametrize(
    ("pit", "loss", "changed"), [(1, 0, False), (0, 2, False), (2, 4, True), (3, 6, True)]
)
def test_a_move_costs_what_the_best_one_is_better_by(pit: int, loss: int, changed: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """A win that becomes a draw or a loss is a changed result; a smaller win is not."""
    assert strength.cost(POSITION, pit) == MoveCost(34, loss, changed)


def test_a_tally_gives_means_by_seeds() -> None:
    """The mean loss, its interval, and the shares of best moves and of changed results."""
    costs = (MoveCost(34, 0, changed=False), MoveCost(44, 3, changed=True))
    assert strength.summary(costs) == {
        "positions": 2,
        "loss": 1.5,
        "loss_error": pytest.approx(7.35, abs=0.01),
        "loss_interval": pytest.approx([0.02, 14.72], abs=0.01),
        "best": 0.5,
        "changed": 0.5,
    }
    assert set(strength.by_seeds(costs)) == {"33-36", "41-45"}


def test_the_packed_set_of_openings_is_read_as_it_is_shipped() -> None:
    """Each of its positions has several moves, and the file needs no unpacking."""
    shipped = ROOT / "engine" / "data" / "yardstick-openings.json.bz2"
    assert min(len(position.values) for position in strength.read(shipped)) > 1


def test_a_band_is_filled_from_games_of_six_seeds_a_pit() -> None:
    """Boards of the band hold all 72 seeds, and repeat with their seed."""
    boards = list(islice(strength.full_boards(66, 46, 48), 5))
    assert boards == list(islice(strength.full_boards(66, 46, 48), 5))
    assert all(46 <= board.in_play <= 48 and board.total == 72 for board in boards)
    shipped = strength.read(strength.POSITIONS.with_name("strength_kalah_full.json"))
    assert [position.board for position in shipped[:5]] == [board.text for board in boards]
    assert len(shipped) >= 100


def test_the_early_positions_are_new_and_come_from_good_play() -> None:
    """They hold 55 to 66 of 72 seeds, no other set has them, and a seed repeats its own."""
    folder = strength.POSITIONS.parent
    early = strength.read(folder / "strength_kalah_early.json")
    others = strength.read(ROOT / "engine" / "data" / "yardstick-openings.json.bz2")
    others += strength.read(folder / "strength_kalah_full.json")
    texts = {position.board for position in early}
    assert len(texts) == len(early)
    assert texts.isdisjoint(position.board for position in others)
    for position in early:
        board = Board.from_text(position.board, KALAH)
        assert tuple(position.values) == board.legal()
        assert 55 <= board.in_play <= 66
        assert board.total == 72
    boards = list(islice(strength.large_boards(5567, (55, 66)), 4))
    assert boards == list(islice(strength.large_boards(5567, (55, 66)), 4))
    assert all(55 <= board.in_play <= 66 for board in boards)


def test_the_positions_are_those_of_their_seed() -> None:
    """The file's boards are the first that its seed gives, and its moves are the legal ones."""
    positions = strength.read(strength.POSITIONS)
    assert len(positions) >= 300
    boards = islice(strength.random_boards(45), 40)
    assert [board.text for board in boards] == [position.board for position in positions[:40]]
    for position in positions:
        board = position.to_board()
        assert tuple(position.values) == board.legal()
        assert 33 <= board.in_play <= 45


def test_positions_survive_their_file(tmp_path: Path) -> None:
    """What was written is read back."""
    strength.write([POSITION], 1, tmp_path / "positions.json")
    assert strength.read(tmp_path / "positions.json") == [POSITION]


def test_the_shipped_weights_lose_less_than_store_difference_alone() -> None:
    """With the same few nodes, the fitted evaluation errs less on a part of the positions."""
    options = EngineOptions(table_bits=16, cache=None, book=False)
    positions = strength.read(strength.POSITIONS)[:60]
    fitted, stores = (
        strength.summary(strength.measure(Engine(options=chosen), Limit(nodes=3000), positions))
        for chosen in (options, replace(options, weights=strength.stores_alone()))
    )
    assert fitted["loss"] < stores["loss"]


def test_store_difference_alone_is_a_file_that_matches_can_name() -> None:
    """The opponent of the claims in STRENGTH.md is shipped beside the weights."""
    path = resources.files("mancala.engine") / "data" / "weights_stores.json"
    assert Weights.load(Path(str(path))) == strength.stores_alone()


def test_large_positions_come_from_games_of_both_kinds() -> None:
    """They hold the seeds of their band, none is over, and a seed makes them again."""
    boards = list(islice(strength.large_boards(3), 20))
    assert boards == list(islice(strength.large_boards(3), 20))
    bands = [
        next(band for band in strength.LARGE_BANDS if band[0] <= board.in_play <= band[1])
        for board in boards
    ]
    assert [bands.count(band) for band in strength.LARGE_BANDS] == list(strength.LARGE_SHARES)


def test_the_independent_prover_values_every_move(tmp_path: Path) -> None:
    """Its values are the solver's, stores included; those that its log has are not found again."""
    compiler, source = shutil.which("cc"), ROOT / "docs/certificates/prove.c"
    assert compiler is not None
    program = tmp_path / "prove"
    subprocess.run([compiler, "-O2", "-pthread", "-o", program, source], check=True)
    subprocess.run([program, "tables", tmp_path / "tables-8", "8", "2", "6"], check=True)
    rng = Random(8)
    boards = [strength.random_board(rng, 12, 20) for _ in range(12)]
    found = list(strength.proven_apart(boards, tmp_path))
    assert [position.board for position in found] == [board.text for board in boards]
    solver = Solver(KALAH, tables=no_tables(6), table_bits=16)
    for board, position in zip(boards, found, strict=True):
        *_, solution = solver.solve(board, every_move=True)
        assert position.values == {pit: bounds.low for pit, bounds in solution.moves.items()}
    log = (tmp_path / "values.log").read_bytes()
    assert list(strength.proven_apart(boards, tmp_path)) == found
    assert (tmp_path / "values.log").read_bytes() == log
    wrong = found[0]._replace(values={pit: value + 2 for pit, value in found[0].values.items()})
    assert strength.compared([wrong, *found[1:]], tmp_path) == {
        "positions": 12,
        "differ": [wrong.board],
    }
