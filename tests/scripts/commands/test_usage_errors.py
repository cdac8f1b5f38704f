"""Bad input of commands that play and think."""

from pathlib import Path

import pytest

from tests.scripts.commands.results import assert_usage_error

ENDING = "<6,25,37,2,2,0,0,0,0,1,2,1,1,1,0>"
START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"


@pytest.mark.parametrize(
    "line",
    [
        "analyze <6,0,0,0,0,0,0,0,0,4,4,4,4,4,4>",
        "analyze --rules chess",
        "check-bot http://127.0.0.1:1",
        "check-bot cmd:/no/such/program",
        "check-bot cmd:cat --only chess",
        "dataset data --tables 6 --seeds some",
        "dataset data --tables 6 --seeds 1-9",
        "dataset data --tables 6 --rules article",
        "endgame build --seeds 99",
        "endgame build --rules article",
        f"endgame probe {START}",
        "perft 3 <6,2>",
        "players minmax",
        "prove kalah:4,3",
        "prove --dir nowhere --resume",
        "prove kalah:4,3 --pits 4 --dir new",
        "prove kalah:4,3 --rules article --dir new",
        "prove chess:4,3 --dir new",
        "prove <4,0,0,0,0,0,0,2,2,2,2> --dir new",
        "prove --check nowhere",
        f"solve {ENDING} --pits 6",
        "solve --pits 16 --seeds 16",
        "spec asyncapi --dir /dev/null/documents",
    ],
)
def test_bad_input_is_a_usage_error(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is reported on stderr with exit code 2, stdout is empty, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert_usage_error(*line.split())
    assert list(tmp_path.iterdir()) == []
