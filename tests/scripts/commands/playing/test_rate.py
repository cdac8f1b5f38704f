"""``mancala rate``, as its user runs it."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.commands.results import mancala, result_of
from tests.scripts.console.views.pages import data_of

FIRST_PIT = """
import sys
for question in sys.stdin:
    board = question.split()[0].strip("<>").split(",")
    own = [int(pit) for pit in board[3:9]]
    print(next(pit for pit, seeds in enumerate(own) if seeds), flush=True)
    print("done", flush=True)
"""
SILENT = "import sys\nfor question in sys.stdin: pass\n"


def rate(*words: str) -> dict[str, Any]:
    return result_of("rate", *words, "--concurrency", "1")


def program(folder: Path, text: str) -> str:
    path = folder / "bot.py"
    path.write_text(text)
    return f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def test_a_machine_too_slow_for_the_levels_voids_none_of_their_games() -> None:
    """Level 10 takes longer than the limit for nearly every move; ``greedy`` may be held up."""
    hurry = ("--movetime", "0.01", "--margin", "0.005")
    found = rate("greedy", "--games", "10", "--positions", "0", *hurry)
    assert (found["games"], found["void_games"]) == (10, 0)


def test_a_rating_has_losses_a_place_and_a_page(tmp_path: Path) -> None:
    """The JSON holds what the contract names, and the page shows it."""
    report = tmp_path / "rate.html"
    found = rate("greedy", "--games", "12", "--positions", "3", "--report", str(report))
    assert found["games"] == 12
    assert isinstance(found["loss"], float)
    assert isinstance(found["best_share"], float)
    assert {"loss_error", "elo", "elo_error", "time", "faults", "phases"} <= found.keys()
    assert sum(level["games"] for level in found["levels"]) == 12
    assert found["ended_by"] == "games"
    shown = data_of(report.read_text(encoding="utf-8"), "rating")
    assert shown["levels"] == found["levels"]
    assert shown["loss"] == found["loss"]


def test_games_end_when_the_elo_is_known_well_enough() -> None:
    """A wide error is reached in the fewest games whose error can be believed, and one round."""
    found = rate("random", "--positions", "0", "--error", "70")
    assert found["ended_by"] == "error"
    assert found["elo_error"] <= 70
    assert 200 <= found["games"] <= 250


def test_games_end_after_a_time() -> None:
    """The place is then stated as far as it is known, after one round at least."""
    found = rate("greedy", "--positions", "0", "--minutes", "0")
    assert found["ended_by"] == "time"
    assert found["games"] == 10
    assert found["elo_error"] > 100


def test_a_program_is_rated(tmp_path: Path) -> None:
    """Any program that answers on its pipes can be rated."""
    found = rate(
        f"first={program(tmp_path, FIRST_PIT)}",
        "--games",
        "0",
        "--positions",
        "3",
        "--movetime",
        "5",
    )
    assert found["player"] == "first"
    assert found["faults"] == {}
    assert found["positions"] == 3
    assert found["elo"] is None


def test_no_answer_is_a_fault_and_the_worst_move(tmp_path: Path) -> None:
    """A program that never answers is rated all the same, and its faults have a reason."""
    options = ("--movetime", "0.01", "--margin", "0", "--start-up", "0.1")
    found = rate(program(tmp_path, SILENT), "--games", "2", "--positions", "3", *options)
    assert found["faults"] == {"timeout": 6}
    assert "first_forfeit" in found
    assert found["best_share"] == 0.0


@pytest.mark.parametrize("positions", ["9", "0"])
def test_a_player_that_never_answers_is_asked_no_more(positions: str) -> None:
    """A bot without its packages lost two thousand games in five minutes, and got an Elo."""
    crash = f"cmd:{sys.executable} -c exit('no module named ws')"
    words = ("rate", crash, "--positions", positions, "--concurrency", "1", "--json")
    result = mancala(*words)
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["elo"] is None
    asked = sum(phase["positions"] for phase in found["phases"].values())
    assert asked + found["games"] == sum(found["faults"].values())
    assert "so it was asked no more: " in found["no_verdict"]
    assert "no module named ws" in found["no_verdict"]
