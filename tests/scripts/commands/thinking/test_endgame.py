"""The tables of ``mancala endgame``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.commands.results import assert_usage_error, result_of

ENDING = "<6,25,37,2,2,0,0,0,0,1,2,1,1,1,0>"
START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"


def test_tables_are_built_and_probed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A build reports positions, seconds and bytes; a probe the value and the moves."""
    with monkeypatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path))  # the usual one has them from an earlier run
        built = result_of("endgame", "build", "--seeds", "6")
    assert tmp_path in Path(built["path"]).parents
    assert built["positions"] == 16717
    assert built["positions"] / 2 < built["bytes"] < built["positions"]
    probed = result_of("endgame", "probe", ENDING)
    assert probed["value"] == max(move["value"] for move in probed["moves"])
    assert probed["value"] == result_of("solve", ENDING)["value"]


def test_tables_are_verified_by_search() -> None:
    """Random positions are looked up and proven; the same seed checks the same ones."""
    found = result_of(
        "endgame", "verify", "--rules", "kalah:pits=3", "--tables", "18", "--samples", "50"
    )
    assert (found["positions"], found["wrong"], found["seeds"]) == (50, [], 18)


def test_every_command_takes_the_size_of_its_tables() -> None:
    """With tables smaller than the position a probe fails, and a search must find the value."""
    assert_usage_error("endgame", "probe", ENDING, "--tables", "4")
    value = result_of("endgame", "probe", ENDING)["value"]
    assert result_of("solve", ENDING, "--tables", "4")["value"] == value
    assert result_of("analyze", ENDING, "--tables", "4", "--exact")["value"] == value


@pytest.mark.parametrize(
    "arguments",
    [("build", "--seeds", "99"), ("build", "--rules", "article"), ("probe", START)],
    ids=" ".join,
)
def test_bad_input_is_a_usage_error(arguments: tuple[str, ...]) -> None:
    """Input that cannot be used is reported on stderr, with exit code 2 and an empty stdout."""
    assert_usage_error("endgame", *arguments)


def test_a_small_game_is_solved_strongly_and_counted() -> None:
    """With all seeds in the tables every position is known; with fewer the start is not."""
    game = ("endgame", "count", "--rules", "kalah:pits=3,seeds=2", "--tables")
    whole = result_of(*game, "12")
    assert whole["strong"]
    assert whole["value"] == result_of("solve", "--rules", "kalah:pits=3,seeds=2")["value"]
    assert whole["positions"] == sum(line["positions"] for line in whole["by_seeds"])
    part = result_of(*game, "9")
    assert (part["strong"], part["value"], part["seeds"]) == (False, None, 9)
    assert part["by_seeds"] == whole["by_seeds"][:8]
