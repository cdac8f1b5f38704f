"""Weights have names, ranges and an origin, and mean the same when the board is turned."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mancala.engine import kernels
from mancala.engine.evaluation.features import DEFAULTS, FEATURES, NAMES
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.evaluation.weights import (
    NOTHING,
    UNITS_A_SEED,
    Net,
    Weights,
    WeightsError,
    shared,
    shipped,
)
from mancala.engine.kernels import layout, state
from mancala.protocol.rules import Rules

KALAH = Rules()


def evaluation(weights: Weights, mine: tuple[int, ...], theirs: tuple[int, ...]) -> float:
    rules = Rules(pits=len(mine))
    search = state.new_search(rules, weights.compiled(rules), bits=16)
    return int(kernels.static_value(search, layout.position(mine, theirs))) / kernels.UNIT


def net_of(out: int = 0, **rows: int) -> Net:
    """Return a net of zeros but for its first hidden unit and the rows given (``r3=5``)."""
    values = {int(name[1:]): value for name, value in rows.items()}
    rest = (0,) * (state.NET_HIDDEN - 1)
    count = sum(state.NET_PLACES)
    return Net(tuple((values.get(row, 0), *rest) for row in range(count)), (out, *rest))


def only(**values: float) -> Weights:
    """Weigh nothing but these."""
    return Weights(values=dict.fromkeys(NAMES, 0.0) | values)


@pytest.mark.parametrize(
    ("name", "mine", "theirs", "count"),
    [
        ("my_seeds", (1, 2, 0, 3, 0, 0), (4, 4, 0, 0, 0, 0), 6),
        ("their_seeds", (1, 2, 0, 3, 0, 0), (4, 4, 0, 0, 0, 0), 8),
        ("my_mobility", (1, 2, 0, 3, 0, 0), (4, 4, 4, 0, 0, 0), 3),
        ("my_returns", (6, 0, 4, 4, 0, 1), (4, 4, 4, 0, 0, 0), 3),
        ("my_returns", (0, 0, 0, 0, 15, 0), (4, 4, 4, 0, 0, 0), 1),
        ("my_chain", (0, 0, 0, 0, 2, 1), (4, 4, 4, 0, 0, 0), 3),
        ("my_capture", (2, 0, 0, 0, 0, 1), (4, 4, 4, 9, 0, 0), 9),
        ("their_capture", (4, 4, 4, 9, 0, 0), (2, 0, 0, 0, 0, 1), 9),
        ("my_chain_capture", (0, 0, 0, 1, 0, 1), (4, 7, 4, 0, 0, 0), 7),
    ],
)
def test_a_feature_counts_what_it_says(
    name: str, mine: tuple[int, ...], theirs: tuple[int, ...], count: int
) -> None:
    """With one weight set to half a seed, the evaluation is half the feature's count."""
    assert evaluation(only(**{name: 0.5}), mine, theirs) == count / 2


def test_turning_the_board_turns_the_evaluation(rng: random.Random) -> None:
    """With the other side's weights negated and no tempo, a turned board is worth the negative."""
    weights = Weights(
        values={f"my_{f.name}": f.mine for f in FEATURES}
        | {f"their_{f.name}": -f.mine for f in FEATURES}
        | {"tempo": 0.0}
    )
    for _ in range(30):
        rows = [tuple(rng.randrange(6) for _ in range(6)) for _ in range(2)]
        there = evaluation(weights, rows[1], rows[0])
        assert evaluation(weights, rows[0], rows[1]) == -there


def test_an_evaluation_never_exceeds_the_seeds_on_the_board() -> None:
    """An evaluation never exceeds the seeds left."""
    assert evaluation(only(tempo=4.0), (1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)) == 2


def test_tables_by_pit_and_count_add_to_the_features() -> None:
    """A weights file may weigh each count of each pit; counts past the end weigh as the last."""
    pits = (((0.0, 1.5, 3.0),) * 6, ((0.0,),) * 6)
    weights = Weights(values=dict.fromkeys(NAMES, 0.0), pits=pits)
    assert evaluation(weights, (1, 7, 0, 0, 0, 0), (9, 9, 0, 0, 0, 0)) == 4.5


def test_tables_by_pairs_weigh_two_counts_together() -> None:
    """The last pit of the mover with the first of the other weighs by both; past 7 is as 7."""
    pair = state.pairs(6).index((5, 6))
    table = [[0.0] * 64 for _ in state.pairs(6)]
    table[pair][8 * 2 + 7] = 3.0
    weights = Weights(
        values=dict.fromkeys(NAMES, 0.0), pits=(((0.0,),) * 6,) * 2, pairs=tuple(map(tuple, table))
    )
    assert evaluation(weights, (1, 0, 0, 0, 0, 2), (7, 1, 0, 0, 0, 0)) == 3.0
    assert evaluation(weights, (1, 0, 0, 0, 0, 2), (9, 0, 0, 0, 1, 0)) == 3.0
    assert evaluation(weights, (1, 0, 0, 0, 0, 3), (7, 1, 0, 0, 0, 0)) == 0.0


@pytest.mark.parametrize("pits", [1, 2, 5, 6, 7])
def test_every_pair_counts_once_on_rows_of_any_length(pits: int, rng: random.Random) -> None:
    """The evaluation is the sum of one number for each two pits, looked up by their counts."""
    tables = [[rng.randrange(-9, 10) / 64 for _ in range(64)] for _ in state.pairs(pits)]
    weights = Weights(
        values=dict.fromkeys(NAMES, 0.0),
        pits=(((0.0,),) * pits,) * 2,
        pairs=tuple(map(tuple, tables)),
    )
    for _ in range(30):
        rows = [tuple(rng.randrange(3, 12) for _ in range(pits)) for _ in range(2)]
        counts = [min(count, 7) for row in rows for count in row]
        worth = sum(
            table[8 * counts[one] + counts[two]]
            for table, (one, two) in zip(tables, state.pairs(pits), strict=True)
        )
        most = sum(map(sum, rows))
        assert evaluation(weights, *rows) == max(-most, min(most, worth))


def test_a_file_gives_back_what_was_saved(tmp_path: Path) -> None:
    """Values, tables and provenance survive the file."""
    weights = Weights(
        values={"tempo": 1.25},
        pits=(((0.5,),) * 6, ((0.25,),) * 6),
        pairs=((0.125,) * 64,) * 66,
        provenance="by hand",
        search=SearchOptions(quiescence=4),
    )
    weights.save(tmp_path / "w.json")
    loaded = Weights.load(tmp_path / "w.json")
    assert loaded["tempo"] == 1.25
    assert loaded["my_chain"] == DEFAULTS["my_chain"]
    assert loaded.provenance == "by hand"
    assert loaded.search == weights.search
    assert (loaded.compiled(KALAH) == weights.compiled(KALAH)).all()


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        "[]",
        "{}",
        json.dumps({"version": 0, "provenance": "", "values": {}, "pits": []}),
        json.dumps(
            {"version": 2, "provenance": "", "values": {"nosuch": 1}, "pits": [], "pairs": []}
        ),
        json.dumps(
            {"version": 2, "provenance": "", "values": {"tempo": 1e9}, "pits": [], "pairs": []}
        ),
        json.dumps(
            {"version": 2, "provenance": "", "values": {}, "pits": [], "pairs": []}
            | {"search": {"quiescence": 1000}}
        ),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, content: str) -> None:
    """What is no weights file of this version is named as such."""
    path = tmp_path / "w.json"
    path.write_text(content)
    with pytest.raises(WeightsError):
        Weights.load(path)


def test_a_net_adds_to_the_features_unless_turned_off() -> None:
    """The unit sums a row for each pit; below nothing it adds nothing; 0 turns the net off."""
    second_pit = state.NET_COUNTS
    net = net_of(out=256, r1=64, **{f"r{second_pit + 2}": 32, f"r{second_pit + 3}": -100})
    weights = replace(only(tempo=1.0), net=net)
    assert evaluation(weights, (1, 2, 4, 0, 0, 0), (4, 4, 4, 0, 0, 0)) == 1 + 1.5
    assert evaluation(weights, (1, 3, 4, 0, 0, 0), (4, 4, 4, 0, 0, 0)) == 1
    half = weights.varied({"net_scale": 0.5})
    assert evaluation(half, (1, 2, 4, 0, 0, 0), (4, 4, 4, 0, 0, 0)) == 1 + 0.75
    assert weights.varied({"net_scale": 0}) == weights.linear == only(tempo=1.0)


def test_a_net_sees_threats() -> None:
    """The row of a threat is that of its number: here a chain of three."""
    chains = 2 * state.NET_PITS * state.NET_COUNTS
    weights = replace(only(), net=net_of(out=256, **{f"r{chains + 3}": 64}))
    assert evaluation(weights, (0, 0, 0, 0, 2, 1), (4, 4, 4, 0, 0, 0)) == 1
    assert evaluation(weights, (0, 0, 0, 0, 0, 1), (4, 4, 4, 0, 0, 0)) == 0


def test_a_file_keeps_its_net(tmp_path: Path) -> None:
    """A net survives the file, and tells weights apart; other boards have weights of their own."""
    weights = replace(only(tempo=1.0), net=net_of(out=7, r5=-3))
    weights.save(tmp_path / "w.json")
    loaded = Weights.load(tmp_path / "w.json")
    assert loaded.net == weights.net
    assert loaded.fingerprint == weights.fingerprint != weights.linear.fingerprint
    assert not loaded.fits(Rules(pits=5))
    five = Rules(pits=5)
    assert (loaded.compiled(five) == shared().compiled(five)).all()
    tables = replace(only(), pits=(((0.0,),) * 6,) * 2)
    assert (tables.compiled(five) == shared().linear.compiled(five)).all()


def test_what_was_fitted_to_kalah_counts_in_no_other_game_of_the_family() -> None:
    """Nor does what was made of it, as the levels do; weights of one's own count."""
    for rules in map(Rules.parse, ("mangala", "congkak", "avalanche:pits=5")):
        stores = NOTHING.compiled(rules)
        for weights in (shipped(), shared(), shipped().linear, shipped().varied({"stores": 2.0})):
            assert (weights.compiled(rules) == stores).all()
        assert (only(tempo=1.0).compiled(rules) != stores).any()
    tables = replace(only(tempo=1.0), pits=(((0.0,),) * 6,) * 2)
    seven = Rules.parse("congkak")
    assert (tables.compiled(seven) == NOTHING.compiled(seven)).all()


@pytest.mark.parametrize(
    "net",
    [
        Net(((1,),), (1,)),
        net_of(out=1, r1=1 << 15),
        Net(((500,) * state.NET_HIDDEN,) * sum(state.NET_PLACES), (30_000,) * state.NET_HIDDEN),
    ],
)
def test_a_net_that_the_kernels_cannot_add_up_is_refused(net: Net) -> None:
    """Wrong shapes and sums beyond the kernels' integers are named."""
    with pytest.raises(WeightsError, match="net"):
        replace(only(), net=net)


def test_weights_are_whole_numbers_in_the_kernel() -> None:
    """The kernels see 64ths of a seed."""
    compiled = only(tempo=0.5).compiled(KALAH)
    assert compiled.dtype == np.int16
    assert compiled[state.W_TEMPO] == UNITS_A_SEED / 2


def test_weights_are_varied_one_by_one_and_tables_in_common() -> None:
    """The rest stays; tables stay whole units, so that a file keeps what was played with."""
    weights = Weights(values={"tempo": 1.0}, pits=(((0.0, 0.515625),) * 6,) * 2)
    varied = weights.varied({"my_chain": 2.0, "table_scale": 0.5})
    assert (varied["tempo"], varied["my_chain"]) == (1.0, 2.0)
    assert varied.pits[0][0] == (0.0, 0.25)
    assert weights.varied({}) == weights


def test_the_store_difference_has_a_weight() -> None:
    """Twice its weight is half that of all else: features, tables by pit, the net."""
    tables = (((0.0, 0.5),) * 6,) * 2
    weights = replace(only(tempo=2.0), pits=tables, net=net_of(out=640, r1=64))
    twice = weights.varied({"stores": 2.0})
    one, two = (each.compiled(KALAH).astype(int) for each in (weights, twice))
    assert (one[: state.W_GROUPS] == 2 * two[: state.W_GROUPS]).all()
    assert one[-state.NET_HIDDEN] == 2 * two[-state.NET_HIDDEN]
    position = (1, 0, 0, 2, 0, 4), (0, 3, 0, 0, 1, 0)
    assert evaluation(weights, *position) == pytest.approx(2 * evaluation(twice, *position), abs=1)
    assert weights.fingerprint != twice.fingerprint
    assert weights.varied({"stores": 1.0}) == weights


@pytest.mark.parametrize(
    "changes",
    [{"nosuch": 1.0}, {"tempo": 5.0}, {"table_scale": -1.0}, {"net_scale": 9.0}, {"stores": 0.0}],
)
def test_weights_are_not_varied_beyond_their_ranges(changes: dict[str, float]) -> None:
    """An unknown name or a value out of range is refused by name."""
    with pytest.raises(WeightsError, match=next(iter(changes))):
        Weights().varied(changes)
