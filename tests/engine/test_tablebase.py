"""Endgame tables hold exact values, and files of them are believed only when they are whole."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from engine import tablebase
from engine.kernels import state
from protocol.rules import Board, Rules

if TYPE_CHECKING:
    import random
    from pathlib import Path

SEEDS = 7
KALAH = Rules()


@cache
def negamax(board: Board) -> int:
    """Play everything out: the store difference at the end, for the mover."""
    if board.is_over:
        return board.score(board.player)
    values = []
    for pit in board.legal():
        child = board.sow(pit).board
        if child.is_over:
            values.append(child.score(board.player))
        else:
            values.append(negamax(child) if child.player == board.player else -negamax(child))
    return max(values)


def random_board(rng: random.Random, rules: Rules, seeds: int) -> Board:
    """Throw seeds at random; both rows get some."""
    while True:
        rows = [[0] * rules.pits, [0] * rules.pits]
        for _ in range(seeds):
            rows[rng.randrange(2)][rng.randrange(rules.pits)] += 1
        if all(map(any, rows)):
            return Board(rules, (tuple(rows[0]), tuple(rows[1])), (3, 1))


def rewrite(path: Path, content: bytes) -> None:
    """Put another file in the place of one that may be mapped."""
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize(
    "name", ["kalah", "kalah-empty-capture", "kalah:relap=true", "kalah:pits=3", "kalah:pits=7"]
)
def test_values_are_those_of_playing_everything_out(name: str, rng: random.Random) -> None:
    """Random positions have the value that full search by the rules gives them."""
    rules = Rules.parse(name)
    tables = tablebase.build(state.variant(rules), SEEDS)
    for _ in range(100):
        board = random_board(rng, rules, rng.randint(2, SEEDS))
        assert tablebase.value_of(board, tables) == negamax(board), board.text


def test_positions_are_counted_as_published() -> None:
    """Irving, Donkers and Uiterwijk's formula; the file holds a byte for each."""
    assert state.positions(6, 16) == 30_272_530
    assert tablebase.build(state.variant(KALAH), SEEDS).values.size == state.positions(6, SEEDS)


def test_two_threads_build_the_same_table() -> None:
    """How many cores build does not show in the values."""
    variant = state.variant(KALAH)
    one, two = (tablebase.build(variant, 8, threads=threads) for threads in (1, 2))
    assert (one.values == two.values).all()


def test_progress_grows_to_the_whole() -> None:
    """The progress of a build advances to the number of positions."""
    seen: list[tuple[int, int]] = []
    tablebase.build(state.variant(KALAH), SEEDS, progress=lambda *step: seen.append(step))
    assert all(before < after for (before, _), (after, _) in pairwise(seen))
    assert seen[-1] == (state.positions(6, SEEDS),) * 2


def test_a_saved_table_comes_back_the_same(tmp_path: Path) -> None:
    """What was built once is loaded the next time."""
    built = tablebase.build(state.variant(KALAH), SEEDS)
    tablebase.save(built, KALAH, tmp_path)
    loaded = tablebase.load(KALAH, SEEDS, tmp_path)
    assert loaded is not None
    assert (loaded.values == built.values).all()


def test_the_largest_file_that_is_whole_is_found(tmp_path: Path) -> None:
    """Without a size asked for, a damaged file counts as none."""
    for seeds in (4, 5, 6):
        tablebase.make(KALAH, seeds, tmp_path)
    rewrite(tablebase.path_of(KALAH, 6, tmp_path), b"damaged")
    found = tablebase.find(KALAH, tmp_path)
    assert found is not None
    assert found.seeds == 5


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
    built = tablebase.make(KALAH, 9, tmp_path)
    path = tablebase.path_of(KALAH, 9, tmp_path)
    content = bytearray(path.read_bytes())
    stride = (built.values.size - tablebase.SAMPLE_BYTES) // (tablebase.SAMPLES - 1)
    between = tablebase.VALUES_AT + (tablebase.SAMPLE_BYTES + stride) // 2
    content[between] ^= 1
    rewrite(path, bytes(content))
    assert tablebase.load(KALAH, 9, tmp_path) is not None
    assert tablebase.load(KALAH, 9, tmp_path, whole=True) is None
    assert (tablebase.make(KALAH, 9, tmp_path).values == built.values).all()
    assert tablebase.load(KALAH, 9, tmp_path, whole=True) is not None


def test_a_file_without_a_sample_is_checked_whole(tmp_path: Path) -> None:
    """Files of older versions are still believed, or not, by the checksum of all values."""
    tablebase.make(KALAH, SEEDS, tmp_path)
    path = tablebase.path_of(KALAH, SEEDS, tmp_path)
    content = bytearray(path.read_bytes())
    content[tablebase.HEADER.size : tablebase.VALUES_AT] = bytes(
        tablebase.VALUES_AT - tablebase.HEADER.size
    )
    rewrite(path, bytes(content))
    assert tablebase.load(KALAH, SEEDS, tmp_path) is not None
    content[-1000] ^= 1
    rewrite(path, bytes(content))
    assert tablebase.load(KALAH, SEEDS, tmp_path) is None


@pytest.mark.parametrize("damage", ["a flipped bit", "a lost end", "another's header", "nothing"])
def test_a_damaged_file_is_built_anew(tmp_path: Path, damage: str) -> None:
    """A file that is not whole is never believed, and the next build replaces it."""
    built = tablebase.obtain(KALAH, SEEDS, tmp_path)
    path = tablebase.path_of(KALAH, SEEDS, tmp_path)
    content = bytearray(path.read_bytes())
    match damage:
        case "a flipped bit":
            content[-7] ^= 4
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


def test_an_interrupted_build_leaves_nothing(tmp_path: Path) -> None:
    """A build that is broken off leaves no file, half made or whole."""

    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tablebase.obtain(KALAH, SEEDS, tmp_path, progress=interrupt)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_costs_only_the_file(tmp_path: Path) -> None:
    """Where the directory cannot be written the tables still serve."""
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert tablebase.obtain(KALAH, 4, blocked).seeds == 4


def test_files_of_other_rules_are_other_files(tmp_path: Path) -> None:
    """Tables of one rule set never answer for another."""
    tablebase.obtain(KALAH, 5, tmp_path)
    assert tablebase.load(Rules.parse("kalah-empty-capture"), 5, tmp_path) is None
    assert tablebase.load(KALAH, 6, tmp_path) is None


@pytest.mark.parametrize("name", ["article", "kalah:pits=8"])
def test_there_are_no_tables_where_values_need_the_stores(name: str) -> None:
    """Majority rules and boards of more than seven pits a row are refused by name."""
    with pytest.raises(tablebase.NoTablesError):
        tablebase.check(Rules.parse(name), 8)


def test_too_many_seeds_are_refused() -> None:
    """A board beyond the tables is no guess."""
    tables = tablebase.build(state.variant(KALAH), 4)
    with pytest.raises(tablebase.NoTablesError, match="reach 4"):
        tablebase.value_of(Board.start(), tables)


def test_sixteen_seeds_are_the_default_of_six_pits() -> None:
    """The tables built on first use hold 31 million positions at most."""
    assert [tablebase.default_seeds(pits) for pits in (5, 6, 7)] == [20, 16, 13]
