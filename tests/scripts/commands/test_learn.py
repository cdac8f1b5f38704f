"""``mancala learn``: trees of numbers and of positions, exercises and counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from scripts.commands import learn


def run(*arguments: str) -> tuple[int, str, str]:
    """Run the command; return its exit code, stdout and stderr."""
    app = typer.Typer()
    learn.register(app)
    app.command("other")(lambda: None)
    result = CliRunner().invoke(app, ["learn", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_order_of_moves_decides_what_is_pruned() -> None:
    """The counts of the lecture's ply of five, from the start of Kalah(6,4)."""
    code, out, _ = run("nodes", "--depth", "5", "--json")
    last = json.loads(out)["rows"][-1]
    assert code == 0
    assert (last["best"], last["none"], last["worst"], last["minimax"]) == (
        2_652,
        8_433,
        31_401,
        160_971,
    )
    assert 0.5 < last["exponent"] < 0.7


def test_a_tree_of_numbers_is_walked() -> None:
    """With --steps the JSON holds the whole walk; an infinite window is null."""
    code, out, _ = run("tree", "((3 12 8) (2 4 6) (14 5 2))", "--steps", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["value"], found["best"], found["visited"], found["cuts"]) == (
        3,
        ["1", "1"],
        11,
        1,
    )
    assert found["steps"][0] == {
        "event": "enter",
        "path": [],
        "alpha": None,
        "beta": None,
        "value": None,
        "skipped": 0,
    }


@pytest.mark.parametrize(
    ("algorithm", "visited"), [("minimax", 13), ("alphabeta", 11), ("expectimax", 11)]
)
def test_only_minimax_visits_every_node(algorithm: str, visited: int) -> None:
    """A tree without chance nodes is the same to alpha-beta and expectimax."""
    _, out, _ = run("tree", "--algorithm", algorithm, "--json")
    assert json.loads(out)["visited"] == visited


def test_a_positions_opponent_may_move_at_random() -> None:
    """Expectimax turns the opponent's nodes into chance nodes."""
    board = "<6,20,18,0,0,2,0,0,1,0,3,0,1,2,1>"
    _, out, _ = run("tree", "--board", board, "--algorithm", "expectimax")
    assert "chance" in out
    assert "min " not in out


def test_an_exercise_keeps_its_answer_until_it_is_asked_for(tmp_path: Path) -> None:
    """The question has the tree, the answer its value, and a drawing where one is wanted."""
    _, question, _ = run("exercise", "2", "--json")
    _, answer, _ = run("exercise", "2", "--answer", "--svg", str(tmp_path / "2.svg"), "--json")
    assert "value" not in json.loads(question)
    assert json.loads(answer)["tree"] == json.loads(question)["tree"]
    assert (tmp_path / "2.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("tree", "(1 (2"), "the parenthesis at 3 is not closed"),
        (("tree", "(1 2)", "--board", "start"), "not both"),
        (("tree", "--board", "start", "--depth", "6"), "ask for less depth"),
        (("tree", "--board", "<1,2,3>"), "<1,2,3>"),
        (("tree", "(1 20)", "--bounds", "0", "9"), "outside the bounds"),
    ],
)
def test_bad_input_is_named(arguments: tuple[str, ...], what: str) -> None:
    """One line on stderr, exit code 2."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert what in err
