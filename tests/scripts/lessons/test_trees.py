"""Lessons on trees of numbers and of positions, and exercises."""

import json
from pathlib import Path

import pytest

from tests.scripts.lessons.running import run


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
    ("algorithm", "visited"), [("minimax", 13), ("alphabeta", 11), ("expectimax", 13)]
)
def test_only_alphabeta_leaves_nodes_out(algorithm: str, visited: int) -> None:
    """Minimax looks everywhere; expectimax too, since each child counts in a mean."""
    _, out, _ = run("tree", "--algorithm", algorithm, "--json")
    assert json.loads(out)["visited"] == visited


def test_expectimax_takes_means_of_a_typed_tree() -> None:
    """The other side moves at random there too, unless a node is named as min."""
    for tree, value in (("((10 10) (9 100))", 54.5), ("((10 10) min(9 100))", 10)):
        _, out, _ = run("tree", tree, "--algorithm", "expectimax", "--json")
        assert json.loads(out)["value"] == value


def test_a_positions_opponent_may_move_at_random() -> None:
    """Expectimax turns the opponent's nodes into chance nodes."""
    board = "<6,20,18,0,0,2,0,0,1,0,3,0,1,2,1>"
    _, out, _ = run("tree", "--board", board, "--algorithm", "expectimax")
    assert "chance" in out
    assert "min " not in out


def test_an_unknown_leaf_has_ranges_of_values() -> None:
    """Branches are named by the numbers of children from the root, counted from 1."""
    _, text, _ = run("cutoffs", "((3 5) (? 2))")
    assert text.splitlines() == ["? ≤ 3: pruned: 2.2", "3 < ?: nothing is pruned"]
    _, out, _ = run("cutoffs", "((3 5) (? 2))", "--json")
    assert json.loads(out)["ranges"][0] == {
        "low": None,
        "low_included": False,
        "high": 3,
        "high_included": True,
        "pruned": [[2, 2]],
    }
    code, _, error = run("cutoffs", "((3 5) (4 2))")
    assert code == 2
    assert "mark 1 to 3 leaves" in error


def test_several_unknown_leaves_are_numbered_from_the_left() -> None:
    """Each range of the first has those of the second."""
    _, text, _ = run("cutoffs", "((? 5) (? 2))")
    assert text.splitlines() == [
        "?1 ≤ 5:",
        "  ?2 ≤ ?1: pruned: 2.2",
        "  ?1 < ?2: nothing is pruned",
        "5 < ?1:",
        "  ?2 ≤ 5: pruned: 2.2",
        "  5 < ?2: nothing is pruned",
    ]
    _, out, _ = run("cutoffs", "((? 5) (? 2))", "--json")
    assert [each["high"] for each in json.loads(out)["ranges"][0]["ranges"]] == ["?1", None]


def test_an_answer_is_marked_without_being_told() -> None:
    """What is wrong is named by its node; the exit code says whether all is right."""
    _, out, _ = run("exercise", "1", "--answer", "--json")
    value = json.loads(out)["value"]
    wrong = run("exercise", "1", "--check", f"root={value + 1:g} 1.1.1")
    assert wrong[0] == 1
    assert wrong[1].startswith(f"root is not {value + 1:g}\n1.1.1 is not pruned\n")
    assert wrong[1].endswith(" pruned\n")
    assert run("exercise", "1", "--check", "root=1 7")[0] == 2
    windows = run("exercise", "1", "--check", "root.beta=inf 1.alpha=-inf 1.beta=-1 1.2.beta=5")
    assert windows[1].startswith("1.2.beta is not 5\n2 more branches pruned")
    _, out, _ = run("exercise", "1", "--levels", "2", "--chance", "--answer", "--json")
    solved = json.loads(out)
    assert "chance(" in solved["tree"]
    right = run("exercise", "1", "--levels", "2", "--chance", "--check", f"root={solved['value']}")
    assert right == (0, "right\n", "")


def test_an_exercise_keeps_its_answer_until_it_is_asked_for(tmp_path: Path) -> None:
    """The question has the tree, the answer its value, and a drawing where one is wanted."""
    _, question, _ = run("exercise", "2", "--json")
    _, answer, _ = run("exercise", "2", "--answer", "--svg", str(tmp_path / "2.svg"), "--json")
    assert "value" not in json.loads(question)
    assert json.loads(answer)["tree"] == json.loads(question)["tree"]
    assert (tmp_path / "2.svg").read_text().startswith("<svg")


def test_squares_turn_the_choice_of_expectimax_only() -> None:
    """The lecture's 0, 40, 20 and 30: the gamble is worth more by x², a sure 20 less."""
    for tree, choices in (
        ("(chance(0 40) chance(20 30))", ["2", "1"]),
        ("((0 40) (20 30))", ["2", "2"]),
    ):
        best = [
            json.loads(run("tree", tree, "--utility", utility, "--json")[1])["best"][0]
            for utility in ("linear", "square")
        ]
        assert best == choices


def test_a_walk_of_a_position_follows_captures_past_its_depth() -> None:
    """Depth 1 prefers pit 2; with quiescence the reply that captures is drawn, and pit 1 chosen."""
    board = ("--board", "<3,3,2,0,1,2,0,0,4>", "--depth", "1")
    assert json.loads(run("tree", *board, "--json")[1])["best"] == ["2"]
    _, out, _ = run("tree", *board, "--quiescence", "4")
    assert "stand: 2" in out
    assert "best line: 1" in out


def test_a_walk_step_by_step_is_a_moving_picture(tmp_path: Path) -> None:
    """With --steps the drawing has a frame a step, and the sentences are printed."""
    code, out, _ = run("tree", "--steps", "--svg", str(tmp_path / "walk.svg"))
    drawing = (tmp_path / "walk.svg").read_text()
    assert code == 0
    assert "cut at min 2: α 3, β 2, so 2 children cannot matter" in out
    assert drawing.count('class="frame') == 26


def test_three_players_each_take_what_is_best_for_themselves() -> None:
    """The lecture's tree of utilities: the root is worth 5, 2 and 5."""
    _, out, _ = run("utilities", "--json")
    found = json.loads(out)
    assert found["utilities"] == [5, 2, 5]
    assert found["best"] == [2, 2, 2]
    assert "├─ player 2 (1, 6, 6)" in run("utilities")[1]
