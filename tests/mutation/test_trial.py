"""Changes are tried where tests notice them, whether inside of functions or outside."""

import gc
import shutil
import signal
import subprocess
import sys
from ast import literal_eval
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from tests.mutation.forks import forked
from tests.mutation.trial import change, changed_codes, compiled, functions_of
from tests.sources import ROOT

MODULE: Final = """\
LIMIT = 3


def fits(size):
    return 0 <= size <= LIMIT


def doubled(size):
    return size + size
"""
TESTS: Final = """\
import subprocess
import sys

import pytest

import mancala.box

doubled, fits = mancala.box.doubled, mancala.box.fits


def test_small_ones_fit():
    assert fits(1)


@pytest.mark.parametrize("limit", [mancala.box.LIMIT])
def test_smaller_ones_than_the_limit_fit(limit):
    assert fits(limit - 1)


def test_large_ones_do_not():
    assert not fits(4)


def test_nothing_doubled_is_nothing():
    assert doubled(0) == 0


def test_a_program_doubles():
    program = "import mancala.box as it; 1 / it.doubled(1)"
    subprocess.run([sys.executable, "-P", "-c", program], check=True)
"""
TRIAL: Final = """\
from pathlib import Path

from tests.mutation.mutants import SourceChange, StatementLines
from tests.mutation.trial import ModuleChange, prepare, survivors

text = open("mancala/box.py").read()
mutants = [
    SourceChange("", old, new, StatementLines(line, line), text.replace(old, new))
    for line, old, new in [
        (1, "3", "2"), (1, "3", "4"), (1, "3", "1 / 0"), (5, "0 <=", "1 <="),
        (5, "<= LIMIT", "< LIMIT"), (5, "<= LIMIT", "!= LIMIT"), (5, "0 <= size", "fits(size)"),
        (9, "size + size", "size - size"), (9, "size + size", "size * size"),
    ]
]
former = Path("build/reached/former/test_box.json")
former.parent.mkdir(parents=True)
former.touch()
prepare()
changes = [ModuleChange("mancala/box.py", mutant) for mutant in mutants]


def note(number, noticed_by):
    named[mutants[number].after] = noticed_by
    Path("failed").write_text("a test that failed with another change")


named = {}
print([mutants[number].after for number in survivors(changes, ["checks/test_box.py"], note)])
print(named)
assert open("mancala/box.py").read() == text
assert not former.exists()
"""


def test_changes_that_tests_notice_do_not_survive(tmp_path: Path) -> None:
    """A constant and a comparison at untested bounds survive; wrong and endless code does not.

    Nor does what is wrong only in another process, though a test executes it in its own. A test
    that has another name with the change notices nothing by that. What notices a change is named,
    and no test that failed with another one. What was traced of other sources is thrown away.
    """
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
    survived, named = map(literal_eval, done.stdout.splitlines())
    assert survived == ["2", "1 <=", "< LIMIT", "size * size"]
    assert named == {
        "2": None,
        "4": "checks/test_box.py::test_large_ones_do_not",
        "1 / 0": "one that can't be imported or does not end",
    }


def test_tests_that_run_out_of_time_once_do_not_notice_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are tried again if asked; without a fault they end."""
    monkeypatch.chdir(tmp_path)
    slow = Path("slow")

    def act() -> bool:
        if slow.exists():
            slow.unlink()
            signal.raise_signal(signal.SIGALRM)
        return True

    for again in (False, True):
        slow.touch()
        assert forked(act, again=again) == again


def loaded_from(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_module_that_was_loaded_twice_is_changed_twice(tmp_path: Path) -> None:
    """Whichever copy of a function is called, it has the new code, also if it is frozen."""
    path = tmp_path / "box.py"
    path.write_text(MODULE)
    loaded = [loaded_from(path), loaded_from(path)]
    gc.freeze()
    changed = MODULE.replace("size <= LIMIT", "size < LIMIT")
    change(functions_of(str(path)), changed_codes(compiled(MODULE), compiled(changed)))
    assert [each.fits(3) for each in loaded] == [False, False]


def test_a_change_of_one_of_two_lambdas_in_a_line_is_not_made_in_both() -> None:
    """They have one name and line; the other one once had the changed code, and failed by it."""
    pair = "both = (lambda size: size, lambda size, limit: size < limit)\n"
    changed = pair.replace("size < limit", "size > limit")
    assert changed_codes(compiled(pair), compiled(changed)) == {}
    apart = pair.replace(", lambda", ",\n        lambda")
    assert len(changed_codes(compiled(apart), compiled(apart.replace("<", ">")))) == 1
