"""The comparison of searches: the same hard positions for all, each beside the first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mancala.protocol.rules import KALAH, Board
from mancala.scripts.bench.search import selection
from mancala.scripts.bench.search.strength import Position, write

if TYPE_CHECKING:
    from pathlib import Path

HARD = Position("<6,0,0,6,1,2,7,0,0,0,0,2,0,8,8>", {0: 2, 1: 4, 2: 0, 3: -2})
EASY = Position("<6,0,0,0,0,0,0,2,1,4,4,4,4,9,4>", {4: 0, 5: 0})


def test_a_position_in_which_nothing_is_lost_misleads_no_search() -> None:
    """Where all moves are worth the same, there is no shallow search to err."""
    assert not any(selection.misleads(EASY, engine) for engine in selection.shallow_engines())


def test_players_are_compared_with_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two players that are the same differ by nothing, and a limit of nodes is kept."""
    write([HARD, EASY], 1, tmp_path / "positions.json")
    same = "engine:nodes=3000,proof_share=0"
    selection.main([same, same], positions=tmp_path / "positions.json", limit=None, make_count=None)
    told = json.loads(capsys.readouterr().out)
    assert told["positions"] == 2
    assert [row["player"] for row in told["players"]] == [same, same]
    assert told["players"][0]["loss"] == told["players"][1]["loss"]
    assert (told["players"][1]["more_than_first"], told["players"][1]["more_error"]) == (0, 0)


@pytest.mark.parametrize("position", [HARD, EASY], ids=["hard", "easy"])
def test_boards_of_this_module_are_as_they_are_written(position: Position) -> None:
    """Each move that has a value is legal."""
    assert tuple(position.moves) == Board.from_text(position.board, KALAH).legal()
