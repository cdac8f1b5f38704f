"""The drill that runs tests on a busy machine."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from mancala.protocol import codec
from tests.sources import ROOT

TESTS = """
def test_that_passes():
    pass

def test_that_fails():
    assert False
"""


def test_failing_tests_are_named(tmp_path: Path) -> None:
    """The report counts the tests and lists those that failed, beside loops that do compute."""
    (tmp_path / "test_some.py").write_text(TESTS)
    pytest = (str(tmp_path), f"--rootdir={tmp_path}", "-c", "/dev/null")
    command = (sys.executable, "-m", "tests.drills.busy", "--loops", "2", "--json", "--", *pytest)
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == 1
    figures = codec.from_json(ended.stdout, dict[str, Any])
    assert figures["busy_loops"] == 2
    assert figures["tests"] == 2
    assert [name.split("::")[1] for name in figures["failed"]] == ["test_that_fails"]
