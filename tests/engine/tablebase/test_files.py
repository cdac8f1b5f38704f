"""Files of endgame tables are believed only when they are whole, and made where missing."""

import random
from pathlib import Path

import pytest

from mancala.engine import tablebase
from mancala.engine.kernels import state
from mancala.engine.tablebase import files
from mancala.engine.tablebase.header import VALUES_AT
from mancala.protocol.rules import Board, Rules
from tests.engine.tablebase.positions import KALAH, negamax, random_board

SEEDS = 7


def rewrite(path: Path, content: bytes) -> None:
    """Put another file in the place of one that may be mapped."""
    path.unlink()
    path.write_bytes(content)


def test_a_table_that_was_made_comes_back_the_same(tmp_path: Path) -> None:
    """What was built once is loaded the next time."""
    built = tablebase.build(state.variant(KALAH), SEEDS)
    tablebase.make(KALAH, SEEDS, tmp_path)
    loaded = tablebase.load(KALAH, SEEDS, tmp_path, whole=True)
    assert loaded is not None
    assert (loaded.values == built.values).all()


def test_floors_come_back_with_the_file(tmp_path: Path, rng: random.Random) -> None:
    """Values that need a baseline are read by any process that opens the file."""
    rules = Rules(pits=3)
    built = tablebase.make(rules, 18, tmp_path)
    loaded = tablebase.load(rules, 18, tmp_path)
    assert loaded is not None
    assert (loaded.mover_part == built.mover_part).all()
    fresh = tablebase.build(state.variant(rules), 18)
    for _ in range(100):
        board = random_board(rng, rules, rng.randint(15, 18))
        assert tablebase.value_of(board, loaded) == tablebase.value_of(board, fresh)


def test_the_largest_file_that_is_whole_is_found(tmp_path: Path) -> None:
    """Without a size asked for, a damaged file counts as none."""
    for seeds in (4, 5, 6):
        tablebase.make(KALAH, seeds, tmp_path)
    rewrite(tablebase.path_of(KALAH, 6, tmp_path), b"damaged")
    found = tablebase.find(KALAH, tmp_path)
    assert found is not None
    assert found.seeds == 5


def test_a_file_larger_than_the_free_memory_is_used_only_when_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each look into it would wait for the disk."""
    for seeds in (5, 6):
        tablebase.make(KALAH, seeds, tmp_path)
    room = state.table_bytes(KALAH.pits, 6) - 1
    monkeypatch.setattr(files, "memory_available", lambda: room)
    found, asked = (tablebase.find(KALAH, tmp_path, seeds=seeds) for seeds in (None, 6))
    assert found is not None
    assert found.seeds == 5
    assert asked is not None
    assert asked.seeds == 6


def test_a_large_file_serves_for_fewer_seeds(tmp_path: Path, rng: random.Random) -> None:
    """The tables of fewer seeds are the beginning of the file; nothing is built for them."""
    tablebase.make(KALAH, SEEDS, tmp_path)
    found = tablebase.obtain(KALAH, 5, tmp_path)
    assert found.seeds == 5
    assert (found.values == tablebase.build(state.variant(KALAH), 5).values).all()
    assert not tablebase.path_of(KALAH, 5, tmp_path).exists()
    board = random_board(rng, KALAH, 5)
    assert tablebase.value_of(board, found) == negamax(board)


def test_damage_between_the_samples_is_found_by_a_whole_check(tmp_path: Path) -> None:
    """Opening reads some pages only; building what is there reads all, and replaces it."""
    built = tablebase.make(KALAH, 10, tmp_path)
    path = tablebase.path_of(KALAH, 10, tmp_path)
    content = bytearray(path.read_bytes())
    stride = (built.values.size - files.SAMPLE_BYTES) // (files.SAMPLES - 1)
    content[VALUES_AT + (files.SAMPLE_BYTES + stride) // 2] ^= 1
    rewrite(path, bytes(content))
    assert tablebase.load(KALAH, 10, tmp_path) is not None
    assert tablebase.load(KALAH, 10, tmp_path, whole=True) is None
    assert (tablebase.make(KALAH, 10, tmp_path).values == built.values).all()
    assert tablebase.load(KALAH, 10, tmp_path, whole=True) is not None


@pytest.mark.parametrize("damage", ["a flipped bit", "a lost end", "another's header", "nothing"])
def test_a_damaged_file_is_built_anew(tmp_path: Path, damage: str) -> None:
    """A file that is not whole is never believed, and the next build replaces it."""
    built = tablebase.obtain(KALAH, SEEDS, tmp_path)
    path = tablebase.path_of(KALAH, SEEDS, tmp_path)
    content = bytearray(path.read_bytes())
    match damage:
        case "a flipped bit":
            content[-70] ^= 4
        case "a lost end":
            del content[-1:]
        case "another's header":
            content[13] ^= 1
        case _:
            content.clear()
    rewrite(path, bytes(content))
    assert tablebase.load(KALAH, SEEDS, tmp_path) is None
    assert (tablebase.obtain(KALAH, SEEDS, tmp_path).values == built.values).all()
    assert tablebase.load(KALAH, SEEDS, tmp_path) is not None


def test_a_full_disk_costs_only_the_file(tmp_path: Path) -> None:
    """Where the directory cannot be written the tables still serve."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert tablebase.obtain(KALAH, 4, blocked).seeds == 4


def test_files_of_older_versions_are_removed(tmp_path: Path) -> None:
    """A new file takes the place of those that no command reads any more, of the same rules."""
    old = tmp_path / "endgame-v1-6-16-opposite.bin"
    other = tmp_path / "endgame-v1-6-16-always.bin"
    for path in (old, other):
        path.touch()
    tablebase.make(KALAH, 4, tmp_path)
    assert not old.exists()
    assert other.exists()


def test_files_of_other_rules_are_other_files(tmp_path: Path) -> None:
    """Tables of one rule set never answer for another."""
    tablebase.obtain(KALAH, 5, tmp_path)
    assert tablebase.load(Rules.parse("kalah-empty-capture"), 5, tmp_path) is None
    assert tablebase.load(KALAH, 6, tmp_path) is None


def test_too_many_seeds_are_refused() -> None:
    """A board beyond the tables is no guess."""
    tables = tablebase.build(state.variant(KALAH), 4)
    with pytest.raises(tablebase.NoTablesError, match="reach 4"):
        tablebase.value_of(Board.start(), tables)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kalah", "endgame-v2-6-16-opposite.bin"),
        ("kalah:pits=4,relap=true", "endgame-v2-4-16-opposite-relap.bin"),
        ("kalah-empty-capture:seeds=6", "endgame-v2-6-16-always.bin"),
    ],
)
def test_files_are_named_as_by_earlier_versions(tmp_path: Path, text: str, name: str) -> None:
    """Tables that took an hour to build are found by the next version."""
    assert tablebase.path_of(Rules.parse(text), 16, tmp_path).name == name
