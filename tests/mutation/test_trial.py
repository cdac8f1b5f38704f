"""Changes are tried where tests notice them, whether inside of functions or outside."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
MODULE: Final = """\
LIMIT = 3


def fits(size):
    return 0 <= size <= LIMIT
"""
TESTS: Final = """\
from mancala.box import fits


def test_small_ones_fit():
    assert fits(1)


def test_large_ones_do_not():
    assert not fits(4)
"""
TRIAL: Final = """\
from tests.mutation.mutants import SourceChange, StatementLines
from tests.mutation.trial import prepare, survivors

text = open("mancala/box.py").read()
mutants = [
    SourceChange("", old, new, StatementLines(line, line), text.replace(old, new))
    for line, old, new in [
        (1, "3", "2"), (1, "3", "4"), (5, "0 <=", "1 <="), (5, "<= LIMIT", "< LIMIT"),
        (5, "<= LIMIT", "!= LIMIT"), (5, "0 <= size", "fits(size)"),
    ]
]
prepare()
print([mutant.after for mutant in survivors("mancala/box.py", ["checks/test_box.py"], mutants)])
assert open("mancala/box.py").read() == text
"""


def test_changes_that_tests_notice_do_not_survive(tmp_path: Path) -> None:
    """A constant and a comparison at untested bounds survive; wrong and endless code does not."""
    for name, text in (("mancala/box.py", MODULE), ("checks/test_box.py", TESTS)):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(text)
        path.with_name("__init__.py").touch()
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    done = subprocess.run(
        [sys.executable, "-c", TRIAL],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "['2', '1 <=', '< LIMIT']\n"
