"""The readable evaluation counts what the engine's compiled one counts."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from mancala.engine import kernels
from mancala.engine.classics.evaluation import EVALUATIONS
from mancala.engine.classics.game import lead, position_of
from mancala.engine.classics.weighted import Weighted, load, save
from mancala.engine.evaluation.features import DEFAULTS, NAMES, RANGES, counts
from mancala.engine.evaluation.weights import Weights, WeightsError
from mancala.engine.kernels import layout, state
from mancala.protocol.rules import KALAH, Board, Rules
from tests.engine.classics.positions import boards_of


def test_it_equals_the_engine_s_on_random_games() -> None:
    """Same names, same weights, same value, to the engine's unit of 1/64 seed."""
    rng = Random(21)
    for _ in range(5):
        values = {name: rng.randrange(-64, 65) / 64 for name in NAMES}
        for rules in (KALAH, Rules(pits=4, seeds=6)):
            for board in boards_of(rules, seed=rng.randrange(2**32), every=1):
                position = position_of(board)
                ours = Weighted(values)(position) - lead(position)
                assert ours == _compiled(values, board), (values, board.text)


def test_a_feature_is_found_by_its_name() -> None:
    """The five things that the article wants valued, in one position."""
    found = counts((2, 0, 0, 1, 5, 0, 0, 4, 4, 0, 0, 1, 0, 0))
    assert set(found) == set(NAMES)
    assert found["my_capture"] == 0
    board = (1, 0, 0, 0, 0, 1, 0, 4, 9, 4, 4, 9, 4, 0)
    found = counts(board)
    assert (found["my_returns"], found["my_chain"], found["my_capture"]) == (1, 1, 9)
    assert (found["my_chain_capture"], found["my_mobility"], found["my_seeds"]) == (9, 2, 2)
    assert found["their_capture"] == 0


def test_the_estimate_is_no_more_than_the_seeds_in_play() -> None:
    """With two seeds left, no weight makes a position worth more than two."""
    assert Weighted({"tempo": RANGES["tempo"][1]})((1, 0, 3, 1, 0, 2)) == 1 + 2


def test_the_store_difference_is_a_weight(tmp_path: Path) -> None:
    """Also in a file, which the engine reads; there it is the unit, and cannot weigh nothing."""
    position = position_of(Board.from_text("<6,9,4,1,0,3,8,1,0,0,3,8,2,1,8>"))
    plain, none = Weighted({"tempo": 1.0}), Weighted({"tempo": 1.0, "stores": 0.0})
    assert plain(position) - none(position) == lead(position)
    for weight in (2.0, 0.0):
        save({"stores": weight}, tmp_path / f"{weight:g}.json", "by hand")
        assert Weighted(load(tmp_path / f"{weight:g}.json")).stores == weight
    assert Weights.load(tmp_path / "2.json").stores == 2.0
    Weights.load(tmp_path / "2.json").save(tmp_path / "again.json")
    assert Weights.load(tmp_path / "again.json").stores == 2.0
    with pytest.raises(WeightsError, match=r"stores must be 0\.25\.\.4"):
        Weights.load(tmp_path / "0.json")


def test_a_file_serves_these_players_and_the_engine(tmp_path: Path) -> None:
    """What is saved here is read by both."""
    save({"tempo": 1.5, "my_chain": -0.25}, tmp_path / "w.json", "by hand")
    assert load(tmp_path / "w.json") == dict.fromkeys(NAMES, 0.0) | {
        "tempo": 1.5,
        "my_chain": -0.25,
    }
    assert Weights.load(tmp_path / "w.json")["my_chain"] == -0.25


def test_names_left_out_of_a_file_weigh_nothing(tmp_path: Path) -> None:
    """As in the engine: a file that was written before there was a feature plays as it did."""
    path = tmp_path / "w.json"
    path.write_text(
        '{"version": 2, "provenance": "", "values": {"tempo": 2}, "pits":[],"pairs":[]}'
    )
    assert load(path) == {"tempo": 2.0}
    assert all(Weights.load(path)[name] == 2 * (name == "tempo") for name in NAMES)


@pytest.mark.parametrize(
    ("content", "what"),
    [("[]", "no weights file"), ('{"values": {}, "pits": [[[1]]]}', "only the engine reads")],
)
def test_a_file_without_weights_by_name_is_refused(tmp_path: Path, content: str, what: str) -> None:
    """The message says which file and why."""
    (tmp_path / "w.json").write_text(content)
    with pytest.raises(ValueError, match=what):
        load(tmp_path / "w.json")


def test_unknown_names_and_weights_out_of_range_are_refused() -> None:
    """The message lists the names, or the range."""
    with pytest.raises(ValueError, match="known: tempo"):
        Weighted({"wisdom": 1})
    with pytest.raises(ValueError, match="tempo must be"):
        Weighted({"tempo": 99})


def test_it_is_known_by_name() -> None:
    """``evaluation=weighted`` weighs the engine's hand-set defaults."""
    assert EVALUATIONS["weighted"](position_of(Board.start())) == Weighted(DEFAULTS)(
        position_of(Board.start())
    )


def _compiled(values: dict[str, float], board: Board) -> float:
    """Return the engine's estimate of what the mover will still gain, in seeds."""
    search = state.new_search(board.rules, Weights(values=values).compiled(board.rules), bits=16)
    mine, theirs = board.pits[board.player], board.pits[1 - board.player]
    static = np.int64(kernels.static_value(search, layout.position(mine, theirs)))
    return int(static) / kernels.UNIT
