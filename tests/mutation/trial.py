"""Try changes of modules: in forks of one pytest session, or with their tests imported anew.

A change is tried file by file, the nearest first, as long as its tests pass: with those tests that
execute it in their own process, or with all of a near file that was not traced yet. If it survives,
those that start processes follow, for which it stands in the file. One outside of functions is
tried with the files whose imports, or those of what they import, name its module.
"""

import gc
import importlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from inspect import CO_OPTIMIZED
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final, NamedTuple

import hypothesis
import pytest

from tests.mutation.forks import OUTPUT, forked, passes
from tests.mutation.mutants import SourceChange
from tests.mutation.reach import DISTANCES, FileReach, Reached

PACKAGES: Final = ("mancala", "tests", "checks")
"""What is imported anew for each change; the last is a folder of tests beside another project."""
LEAST_S: Final = 120
TIMES: Final = 5
"""A test in a session may take this long, and this many times as long as without the change; tests
imported anew together take the first, and the second of each."""
STARTING_S: Final = 60.0
"""How long those tests together take, unchanged, that a survivor is tried with besides."""
SESSION_S: Final = 3600 * 6
REACHED: Final = Path("build/reached")
FAILED: Final = Path("failed")
"""Where forks leave the name of the test that fails."""
EXAMPLES: Final = 30
"""Of a property test that does not state its own number; the same ones in each run."""
LOADED: Final = "ignore::pytest.PytestAssertRewriteWarning"
"""Plugins are loaded before the fork."""
OPTIONS: Final = (
    *("-q", "-x", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", LOADED),
    *("--hypothesis-profile", "mutation", "--basetemp", "tmp"),
)


class ModuleChange(NamedTuple):
    """A change of a module, whose path is relative to the root."""

    module: str
    mutant: SourceChange

    @property
    def room(self) -> str:
        return Path(self.module).parent.as_posix()

    def is_in(self, lines: Mapping[str, Container[int]]) -> bool:
        """Return whether a line of the changed statement is among lines of modules."""
        first, last = self.mutant.statement
        return any(line in lines.get(self.module, ()) for line in range(first, last + 1))


Note = Callable[[int, str | None], None]
Key = tuple[str, int]
Codes = tuple[dict[Key, list[FunctionType]], dict[Key, CodeType]]
"""Functions of a module by name and line, and the code that changes them."""


class WithoutServers:
    """A plugin of pytest that leaves out the tests on PostgreSQL: starting it takes seconds.

    It also writes down which test fails.
    """

    def __init__(self) -> None:
        self._failed = FAILED.absolute()  # a test may be elsewhere

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not _needs_postgresql(item)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.write_text(report.nodeid)


class Trials:
    """A plugin of pytest that tries changes instead of running the collected tests once.

    Attributes:
        left: the places of those that need their tests to be imported anew, with the files of
            these and how many they are; one without any survives.
    """

    def __init__(self, changes: Sequence[ModuleChange], note: Note, known: Path) -> None:
        self.survived: list[int] = []
        self.left: dict[int, tuple[list[str], int]] = {}
        self._changes = changes
        self._note = note
        self._known = known

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each change with the tests that reach it, those of files near to it first."""
        reach = FileReach(session.items, {change.module for change in self._changes}, self._known)
        waiting: dict[int, Codes] = {}
        for number, change in enumerate(self._changes):
            codes = codes_of(_loaded_as(change.module), change.mutant.text)
            if codes is None:
                near = [path for files in reach.by_distance(change.module)[:-1] for path in files]
                tests = sum(len(reach.tests[path]) for path in near)
                self.left[number] = [path.as_posix() for path in near], tests
            else:
                waiting[number] = codes
        for distance in range(DISTANCES):
            for number, codes in [*waiting.items()]:
                if self._is_noticed(reach, number, codes, distance):
                    self._note(number, _failed())
                    del waiting[number]
        for number in waiting:
            self._note(number, None)
        self.survived = [*waiting]
        return True

    def _is_noticed(self, reach: FileReach, number: int, codes: Codes, distance: int) -> bool:
        change, is_far = self._changes[number], distance == DISTANCES - 1
        for tests in _trials(reach, change, distance):  # traced before the change is written
            run = partial(_passes_with, codes, tests)
            FAILED.unlink(missing_ok=True)  # a far one may have failed for another change, and once
            with written(change, number):  # far ones, which may fail beside other work, fail twice
                tries = (forked(run, SESSION_S, again=not is_far) for _ in range(1 + is_far))
                if not any(tries):
                    return True
        return False


def _trials(reach: FileReach, change: ModuleChange, distance: int) -> Iterator[list[Reached]]:
    """Yield the tests to try together: of each file, at last those that start processes."""
    is_last = distance == DISTANCES - 1
    for path in reach.by_distance(change.module)[distance]:
        found = reach.of(path) if is_last else reach.known(path)
        if tests := [each for each in found if change.is_in(each.lines)]:
            yield tests
    if is_last and (starting := _starting(reach, change)):
        yield starting


def _starting(reach: FileReach, change: ModuleChange) -> list[Reached]:
    """Return tests that start processes and were not tried, those of the room first."""
    every = [each for path in reach.tests for each in reach.of(path)]
    others = [each for each in every if each.starts and not change.is_in(each.lines)]
    others.sort(key=lambda each: not each.test.nodeid.startswith(f"tests/{change.room}"))
    taken = accumulate(each.seconds for each in others)
    return [each for each, sum_s in zip(others, taken, strict=True) if sum_s <= STARTING_S]


def _quiet(_number: int, _noticed_by: str | None) -> None:
    pass


def _failed() -> str:
    """Return the name of the test that failed last in what was tried last."""
    return FAILED.read_text() if FAILED.exists() else "one that can't be imported or does not end"


def survivors(
    changes: Sequence[ModuleChange],
    tests: Sequence[str],
    note: Note = _quiet,
    known: Path = REACHED,
) -> list[int]:
    """Return the places of the changes that tests do not notice, in a copy of the source tree.

    The working directory is that copy. The process loads the packages that the tests load, and
    none of the copy's own, so that each fork imports these anew.

    Args:
        changes: the changes.
        tests: files and folders.
        note: called with the place of each change that was tried, and the name of the test that
            notices it; None if it survives.
        known: the folder where what the tests execute is kept.
    """
    answer = Path("survivors.json")
    for former in (answer, OUTPUT):
        former.unlink(missing_ok=True)
    forked(lambda: _session(Trials(changes, note, known), tests, answer), SESSION_S)
    if not answer.exists():
        raise RuntimeError(f"{' '.join(tests)} fail without a change:\n{OUTPUT.read_text()}")
    survived, left, loaded = json.loads(answer.read_text())
    for name in loaded:
        with suppress(Exception):  # a package of a package may not be imported by itself
            importlib.import_module(name)
    for number, (near, tests_near) in left:
        run, seconds = partial(_passes_anew, near), LEAST_S + TIMES * tests_near
        FAILED.unlink(missing_ok=True)
        with written(changes[number], number):
            survives = not near or forked(run, seconds, again=True)
        note(number, None if survives else _failed())
        if survives:
            survived.append(number)
    return sorted(survived)


@contextmanager
def written(change: ModuleChange, number: int) -> Iterator[None]:
    """Have a change in its file, which is of another age than any compiled file."""
    path = Path(change.module)
    text, former = path.read_text(), path.stat()
    path.write_text(change.mutant.text)
    os.utime(path, (number, number))
    try:
        yield
    finally:
        path.write_text(text)
        os.utime(path, ns=(former.st_atime_ns, former.st_mtime_ns))


def _passes_anew(files: Sequence[str]) -> bool:
    return pytest.main([*OPTIONS, *files], [WithoutServers()]) == 0


def prepare() -> None:
    """Make property tests repeat themselves and stop at their first failure.

    Processes that tests start import what lies in the working directory, as the tests do.
    """
    hypothesis.settings.register_profile(
        "mutation",
        deadline=None,
        database=None,
        derandomize=True,
        max_examples=EXAMPLES,
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path.cwd()))
    os.environ["PYTHONPATH"] = str(Path.cwd())
    for name in [name for name in sys.modules if _is_ours(name)]:
        del sys.modules[name]


def _needs_postgresql(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    database = None if call is None else call.params.get("database")
    return database == "postgresql" or "postgresql" in getattr(item, "fixturenames", ())


def _is_ours(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in PACKAGES


def _session(trials: Trials, tests: Sequence[str], answer: Path) -> bool:
    sys.dont_write_bytecode = False  # each import of the unchanged modules is spared compiling
    passed = pytest.main([*OPTIONS, *tests], plugins=[trials, WithoutServers()]) == 0
    if passed:
        loaded = [name for name in sys.modules if not _is_ours(name)]
        answer.write_text(json.dumps([trials.survived, list(trials.left.items()), loaded]))
    return passed


# Code of functions, found by name and line


def compiled(text: str) -> CodeType:
    return compile(text, "", "exec", dont_inherit=True)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from [each] if each.co_flags & CO_OPTIMIZED else _codes(each)


def _outside(code: CodeType) -> tuple[object, ...]:
    """Return what is executed when a module is imported, without the code of its functions."""
    constants = [
        (each.co_flags & CO_OPTIMIZED) or _outside(each) if isinstance(each, CodeType) else each
        for each in code.co_consts
    ]
    return code.co_code, code.co_names, repr(constants)


def changed_codes(original: CodeType, changed: CodeType) -> dict[Key, CodeType]:
    """Return the new code of the changed functions; nothing if more than functions changed.

    Nor of a function that begins in the line of another one of its name, as lambdas do.
    """
    if _outside(original) != _outside(changed):
        return {}
    pairs = zip(_codes(original), _codes(changed), strict=True)
    codes = {_key(old): new for old, new in pairs if old != new}
    alike = Counter(map(_key, _codes(original)))
    return codes if all(alike[key] == 1 for key in codes) else {}


def _key(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def functions_of(module: str) -> dict[Key, list[FunctionType]]:
    """Return the functions of a module, given its absolute path, by name and line.

    There is more than one for a name where the module was loaded again, or a copy was made.
    """
    gc.unfreeze()  # of what is frozen, as players do when they are warm, nothing is listed
    functions: dict[Key, list[FunctionType]] = {}
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename == module:
            functions.setdefault(_key(each.__code__), []).append(each)
    return functions


def change(functions: dict[Key, list[FunctionType]], codes: dict[Key, CodeType]) -> None:
    for key, code in codes.items():
        for function in functions[key]:
            function.__code__ = code


def codes_of(path: str, text: str) -> Codes | None:
    """Return a module's functions, and their code in a changed text; None if more is changed.

    A module that only a test loads has none: the test loads it with the change.
    """
    functions, unchanged = _unchanged(path)
    if not functions:
        return {}, {}
    codes = changed_codes(unchanged, compiled(text))
    return (functions, codes) if codes and codes.keys() <= functions.keys() else None


@cache
def _unchanged(path: str) -> tuple[dict[Key, list[FunctionType]], CodeType]:
    return functions_of(path), compiled(Path(path).read_text())


def _loaded_as(module: str) -> str:
    """Return the path by which a module is loaded: that of the package with links to the rooms."""
    linked = Path("mancala", module)
    return str((linked if linked.exists() else Path(module)).absolute())


def _passes_with(codes: Codes, tests: Sequence[Reached]) -> bool:
    """Return whether the tests pass while functions have this code instead of their own."""
    change(*codes)
    for each in tests:
        signal.setitimer(signal.ITIMER_REAL, LEAST_S + TIMES * each.seconds)
        if not passes([each.test]):
            return False
    return True
