"""The positions that come with the program, and those of other files."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs import yardstick
from mancala.bot.players.registry import make_player
from mancala.bot.yardstick.positions import DATA, POSITIONS
from mancala.engine.search.engine import tables_for
from mancala.engine.search.solver import Solver
from mancala.yardstick import RULE_SETS, SPLITS, board_of, loss, positions, read_positions


def cards() -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(DATA.glob("*/*/card.json"))]


def test_each_split_has_positions_of_four_variants_and_no_position_is_there_twice() -> None:
    """A model that has learnt from one split is measured by positions that it has not seen."""
    boards = [(each.rules, each.board) for split in SPLITS for each in positions(split)]
    assert len(set(boards)) == len(boards)
    for split in SPLITS:
        assert all(positions(split, rules) for rules in RULE_SETS)


def test_no_choice_without_thought_is_often_best() -> None:
    """The nearest pit is best in a quarter at most; any legal pit and greed in 35 %."""
    for split in SPLITS:
        found = [card for card in cards() if card["plan"]["seed"] == SPLITS.index(split) + 1]
        for name, most in (("nearest", 0.25), ("random", 0.35), ("one-ply greed", 0.35)):
            counts = [(card["positions"], card["baselines"][name]["best"]) for card in found]
            share = sum(n * best for n, best in counts) / sum(n for n, _ in counts)
            assert share <= most, (split, name)


def test_the_table_of_choices_without_thought_is_that_of_the_cards() -> None:
    """In docs/language-models.md, each variant by its positions."""
    lines = yardstick.PAGE.read_text().splitlines()
    assert {yardstick.row(*each) for each in yardstick.choices()} <= set(lines)


def test_the_table_has_the_levels_as_they_play() -> None:
    """Level 1, asked once in each position, is within what repeats differ by."""
    stated = re.search(r"`engine:level=1` \| \S+ % \| (\S+) %", yardstick.PAGE.read_text())
    assert stated
    player = make_player("engine:level=1")
    asked = positions("test")
    lost = 0
    for each in asked:
        player.new_game(each.number)
        lost += each.loss(player.choose(board_of(each)).pit)
    share = lost / sum(each.most_loss for each in asked)
    assert float(stated[1]) / 100 == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_values_are_those_of_perfect_play(rules: str) -> None:
    """The last position of each variant, proven anew."""
    position = positions("test", rules)[-1]
    board = board_of(position)
    solver = Solver(board.rules, tables=tables_for(board.rules), table_bits=18)
    *_, solution = solver.solve(board, every_move=True)
    assert {pit: move.low for pit, move in solution.moves.items()} == position.values


def test_a_loss_is_looked_up() -> None:
    """From the best pit; None is the worst one. What is unknown is named."""
    position = positions("test")[0]
    board = board_of(position)
    assert [loss(board, pit) for pit in position.best] == [0] * len(position.best)
    assert loss(board, None) == position.most_loss > 0
    with pytest.raises(ValueError, match="may not be sown"):
        loss(board, 9)
    with pytest.raises(ValueError, match="no position of the split"):
        loss(board.sow(position.best[0]).board, 0)


def test_a_file_of_ones_own_is_read_and_a_changed_one_refused(tmp_path: Path) -> None:
    """By its folder or its file; the card's hash is checked."""
    home = tmp_path / "own"
    shutil.copytree(DATA / "test" / "kalah", home)
    assert read_positions(home) == read_positions(home / POSITIONS)
    assert read_positions(home) == positions("test", "kalah")
    lines = (home / POSITIONS).read_bytes()
    (home / POSITIONS).write_bytes(lines.replace(b'"early"', b'"later"', 1))
    with pytest.raises(ValueError, match="is not the file that"):
        read_positions(home)
    (home / POSITIONS).write_bytes(b"{}\n")
    with pytest.raises(ValueError, match="holds no hard positions"):
        read_positions(home)


def test_a_wrong_split_or_variant_is_named() -> None:
    """With those there are."""
    with pytest.raises(ValueError, match="one of train, test, not 'dev'"):
        positions("dev")
    with pytest.raises(ValueError, match="not 'oware'"):
        positions("test", "oware")


def test_it_is_light() -> None:
    """A scorer loads no client, no compiler and no harness."""
    program = (
        "import sys, mancala.yardstick as y; y.questions()[0].prompt;"
        "print(*{'websockets', 'asyncio', 'numba', 'numpy', 'inspect_ai'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not done.stdout.strip()
