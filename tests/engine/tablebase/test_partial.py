"""A build that is interrupted or killed goes on where it was."""

from pathlib import Path
from threading import Thread

import pytest

from mancala.engine import kernels, tablebase
from mancala.engine.kernels import state
from mancala.engine.kernels.build_kernel import Tile
from mancala.engine.kernels.layout import Words
from mancala.engine.kernels.state import ExactTables, Variant
from mancala.engine.tablebase.header import VALUES_AT, TableHeader
from mancala.engine.tablebase.partial import PartialFile
from mancala.protocol.rules import Rules
from tests.engine.tablebase.positions import KALAH
from tests.patience import PATIENCE_S

SEEDS = 16
RULES = Rules(pits=3)


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the seeds in play of each pair that is filled."""
    seen: list[int] = []
    fill = kernels.fill_pair

    def counted(
        v: Variant, t: ExactTables, rows0: Words, rows1: Words, span: tuple[int, int], room: Tile
    ) -> None:
        seen.append(int(rows0[:1].view("u1").sum() + rows1[:1].view("u1").sum()))
        fill(v, t, rows0, rows1, span, room)

    monkeypatch.setattr(kernels, "fill_pair", counted)
    return seen


def interrupt(done: int, total: int) -> None:
    if done > total // 2:
        raise KeyboardInterrupt


def interrupted(directory: Path) -> Path:
    with pytest.raises(KeyboardInterrupt):
        tablebase.make(RULES, SEEDS, directory, progress=interrupt)
    return tablebase.path_of(RULES, SEEDS, directory).with_suffix(".part")


def test_an_interrupted_build_goes_on(tmp_path: Path, filled: list[int]) -> None:
    """What was filled before is read back; the result is that of one build."""
    part = interrupted(tmp_path)
    assert part.exists()
    before = len(filled)
    again = tablebase.make(RULES, SEEDS, tmp_path)
    assert min(filled[before:]) > 10
    assert (again.values == tablebase.build(state.variant(RULES), SEEDS).values).all()
    assert not part.exists()


def test_what_a_killed_build_wrote_by_half_is_filled_again(tmp_path: Path) -> None:
    """Codes that do not agree with their checksum are not believed."""
    part = interrupted(tmp_path)
    content = bytearray(part.read_bytes())
    content[VALUES_AT + state.table_bytes(3, 9) + 3] ^= 8
    part.write_bytes(content)
    again = tablebase.make(RULES, SEEDS, tmp_path)
    assert (again.values == tablebase.build(state.variant(RULES), SEEDS).values).all()


@pytest.mark.parametrize("damage", ["a lost end", "a damaged head", "other rules"])
def test_a_partial_file_that_cannot_be_used_is_begun_anew(tmp_path: Path, damage: str) -> None:
    """A build never fails because of what another one left."""
    part = interrupted(tmp_path)
    content = bytearray(part.read_bytes())
    match damage:
        case "a lost end":
            del content[2000:]
        case "a damaged head":
            content[70] ^= 1
        case _:
            content[:VALUES_AT] = TableHeader.new(KALAH, SEEDS).encode()
    part.write_bytes(content)
    again = tablebase.make(RULES, SEEDS, tmp_path)
    assert (again.values == tablebase.build(state.variant(RULES), SEEDS).values).all()


def test_a_second_build_waits_for_the_first(tmp_path: Path, filled: list[int]) -> None:
    """Processes that want the same tables build them once."""
    part = tablebase.path_of(RULES, SEEDS, tmp_path).with_suffix(".part")
    second = Thread(target=tablebase.make, args=(RULES, SEEDS, tmp_path), daemon=True)
    with PartialFile(RULES, SEEDS, part) as first:
        with pytest.raises(tablebase.BuildBusyError):
            tablebase.make(RULES, SEEDS, tmp_path, waiting=False)
        second.start()
        built = tablebase.build(state.variant(RULES), SEEDS, keeper=first)
        once = len(filled)
        first.finish(tablebase.files.sample(built.values), part.with_suffix(".bin"))
    second.join(PATIENCE_S)
    assert not second.is_alive()
    assert len(filled) == once
    assert not part.exists()
