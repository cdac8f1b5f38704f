"""Players' moves on graded positions: all players alike, the engine or not."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.loss import ProvenPosition
from mancala.scripts.bench.search import loss
from mancala.scripts.bench.search.strength import write

TRICKY = ProvenPosition(0, "", "<6,0,0,6,1,2,7,0,0,0,0,2,0,8,8>", {0: 2, 1: 4, 2: 0, 3: -2})
CLEAR = ProvenPosition(0, "", "<6,0,0,0,0,0,0,2,1,4,4,4,4,9,4>", {4: 0, 5: 0})


def measured(
    players: list[str], path: Path, capsys: pytest.CaptureFixture[str], movetime: float | None
) -> dict[str, Any]:
    write([TRICKY, CLEAR], 1, path)
    loss.main(players, positions=path, movetime=movetime, make_count=None)
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_where_all_moves_are_equal_a_position_is_clear() -> None:
    """No search can err there."""
    assert loss.grade(CLEAR, loss.judge()) == "clear"
    assert loss.grade(TRICKY, loss.judge()) != "clear"


def test_each_player_is_compared_with_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The loss is that of the moves, by grade; players that are the same differ by nothing."""
    same = "engine:nodes=3000,book=0"
    told = measured([same, same], tmp_path / "p.json", capsys, None)
    first, second = told["players"]
    assert (second["more_than_first"], second["more_error"]) == (0, 0)
    assert first["loss"] == second["loss"]
    assert first["by_grade"]["clear"]["loss"] == 0
    assert sum(grade["positions"] for grade in first["by_grade"].values()) == 2


def test_any_player_can_be_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A player without an engine gets the time, too."""
    told = measured(["greedy"], tmp_path / "p.json", capsys, 0.01)
    assert told["movetime_s"] == 0.01
    assert told["players"][0]["positions"] == 2


def test_positions_leave_a_choice() -> None:
    """They have three moves or more, and the seeds asked for; a seed repeats them."""
    boards = list(islice(loss.boards(7, 33), 20))
    assert all(len(board.legal()) >= loss.LEAST_MOVES for board in boards)
    assert all(loss.LEAST <= board.in_play <= 33 for board in boards)
    assert [board.text for board in islice(loss.boards(7, 33), 20)] == [b.text for b in boards]
