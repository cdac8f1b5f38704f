"""Lessons on what a search makes of its evaluation."""

import json

from tests.scripts.lessons.running import run


def test_an_agent_starves_until_dots_are_worth_more_today() -> None:
    """The command tells what was eaten, and each step."""
    _, out, _ = run("starving", "--steps", "20", "--json")
    hungry = json.loads(out)
    assert (hungry["eaten"], hungry["left"], len(hungry["rows"])) == (0, 1, 20)
    _, out, _ = run("starving", "--discount", "0.9", "--json")
    assert json.loads(out)["rows"] == [
        {"corridor": "_.P__", "worth": {"west": 1.0, "east": 0.81}, "step": "west", "ate": True}
    ]


def test_a_corridor_without_pacman_is_named() -> None:
    """One line on stderr, exit code 2."""
    code, _, err = run("starving", "_._")
    assert code == 2
    assert "'_._' is no corridor" in err


def test_what_errors_cost_is_measured_at_each_depth() -> None:
    """On proven positions, the same in each run; without errors depth 3 loses less than depth 1."""
    options = ("--depth", "3", "--positions", "40", "--json")
    _, out, _ = run("errors", *options)
    rows = json.loads(out)["rows"]
    assert [(row["depth"], [*row["losses"]]) for row in rows] == [
        (depth, ["0", "2", "4", "8"]) for depth in (1, 2, 3)
    ]
    assert rows[2]["losses"]["0"] < rows[0]["losses"]["0"]
    assert run("errors", *options)[1] == out
