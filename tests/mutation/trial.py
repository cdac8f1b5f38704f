"""Try changes of one module: in forks of one pytest session, or with its tests imported anew."""

import gc
import importlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, NamedTuple

import hypothesis
import pytest

from tests.mutation.mutants import SourceChange, StatementLines

PACKAGES: Final = ("mancala", "tests", "checks")
"""What is imported anew for each change; the last is a folder of tests beside another project."""
LONGEST_S: Final = 30
"""A change whose tests take longer does not end, and is noticed by that."""
LEAST_S: Final = 5
TIMES: Final = 5
"""A test in a session may take this long, and this many times as long as without the change."""
OUTPUT: Final = Path("output")
SESSION_S: Final = 3600
EXAMPLES: Final = 30
"""Of a property test that does not state its own number; the same ones in each run."""
LOADED: Final = "ignore::pytest.PytestAssertRewriteWarning"
"""Plugins are loaded before the fork."""
OPTIONS: Final = (
    *("-q", "-x", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", LOADED),
    *("--hypothesis-profile", "mutation", "--basetemp", "tmp"),
)


class Reached(NamedTuple):
    """What one test executes."""

    test: int
    lines: frozenset[int]
    seconds: float

    def touches(self, statement: StatementLines) -> bool:
        return any(line in self.lines for line in range(statement.first, statement.last + 1))


class WithoutServers:
    """A plugin of pytest that leaves out the tests on PostgreSQL: starting it takes seconds."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not _needs_postgresql(item)]


class Trials:
    """A plugin of pytest that tries changes instead of running the collected tests once.

    Attributes:
        left: the places of those that need their tests to be imported anew.
    """

    def __init__(self, module: Path, mutants: Sequence[SourceChange]) -> None:
        self.survived: list[int] = []
        self.left: list[int] = []
        self._module = module
        self._mutants = mutants

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each change with the tests that reach it, the quickest first."""
        reached = self._reached(session)
        functions = functions_of(str(self._module))
        original = compiled(self._module.read_text())
        for number, mutant in enumerate(self._mutants):
            codes = changed_codes(original, compiled(mutant.text))
            tests = [each for each in reached if each.touches(mutant.statement)]
            if not tests or not codes or any(key not in functions for key in codes):
                self.left.append(number)
            elif forked(partial(_passes_with, functions, codes, session, tests), SESSION_S):
                self.survived.append(number)
        return True

    def _reached(self, session: pytest.Session) -> list[Reached]:
        answer = Path("reached.json")
        if not forked(lambda: _traced(session, str(self._module), answer), SESSION_S):
            raise RuntimeError(f"the tests of {self._module.name} fail without a change")
        found = json.loads(answer.read_text())
        reached = [Reached(test, frozenset(lines), seconds) for test, lines, seconds in found]
        return sorted(reached, key=lambda each: each.seconds)


def survivors(
    module: str, tests: Sequence[str], mutants: Sequence[SourceChange]
) -> list[SourceChange]:
    """Return the changes of a module that its tests do not notice, in a copy of the source tree.

    The working directory is that copy. The process loads the packages that the tests load, and
    none of the copy's own, so that each fork imports these anew.
    """
    path = Path(module).absolute()
    answer = Path("survivors.json")
    for former in (answer, OUTPUT):
        former.unlink(missing_ok=True)
    forked(lambda: _session(path, tests, mutants, answer), SESSION_S)
    if not answer.exists():
        raise RuntimeError(f"the tests of {module} fail without a change:\n{OUTPUT.read_text()}")
    survived, left, loaded = json.loads(answer.read_text())
    for name in loaded:
        with suppress(Exception):  # a package of a package may not be imported by itself
            importlib.import_module(name)
    text = path.read_text()
    for number in left:
        path.write_text(mutants[number].text)
        os.utime(path, (number, number))  # of another age than any compiled file
        if forked(lambda: pytest.main([*OPTIONS, *tests], [WithoutServers()]) == 0):
            survived.append(number)
    path.write_text(text)
    return [mutants[number] for number in sorted(survived)]


def prepare() -> None:
    """Make property tests repeat themselves, and stop at their first failure."""
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
    for name in [name for name in sys.modules if _is_ours(name)]:
        del sys.modules[name]


def forked(act: Callable[[], bool], seconds: float = LONGEST_S) -> bool:
    """Return the result of a function in a forked process; False if it fails or does not end."""
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        code = 1
        try:
            _silence()
            code = 0 if act() else 1
        finally:
            sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return status == 0


def _silence() -> None:
    output = os.open(OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)


def _needs_postgresql(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    database = None if call is None else call.params.get("database")
    return database == "postgresql" or "postgresql" in getattr(item, "fixturenames", ())


def _is_ours(name: str) -> bool:
    return name.split(".", maxsplit=1)[0] in PACKAGES


def _session(
    path: Path, tests: Sequence[str], mutants: Sequence[SourceChange], answer: Path
) -> bool:
    sys.dont_write_bytecode = False  # each import of the unchanged modules is spared compiling
    trials = Trials(path, mutants)
    passed = pytest.main([*OPTIONS, *tests], plugins=[trials, WithoutServers()]) == 0
    if passed:
        loaded = [name for name in sys.modules if not _is_ours(name)]
        answer.write_text(json.dumps([trials.survived, trials.left, loaded]))
    return passed


def _traced(session: pytest.Session, module: str, answer: Path) -> bool:
    lines: set[int] = set()

    def local(frame: FrameType, _event: str, _argument: object) -> Any:  # noqa: ANN401  # a trace function
        lines.add(frame.f_lineno)
        return local

    def trace(frame: FrameType, event: str, argument: object) -> Any:  # noqa: ANN401  # a trace function
        return local(frame, event, argument) if frame.f_code.co_filename == module else None

    found = []
    sys.settrace(trace)
    threading.settrace(trace)
    for test in range(len(session.items)):
        lines.clear()
        begun = time.perf_counter()
        passed = _passes(session, [test])
        found.append((test, sorted(lines), time.perf_counter() - begun))
        if not passed:
            return False
    answer.write_text(json.dumps(found))
    return True


def _passes(session: pytest.Session, tests: Sequence[int]) -> bool:
    items = [session.items[test] for test in tests]
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return False
    return True


# Code of functions, found by name and line

Key = tuple[str, int]


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
    """Return the new code of the changed functions; nothing if more than functions changed."""
    if _outside(original) != _outside(changed):
        return {}
    pairs = zip(_codes(original), _codes(changed), strict=True)
    return {_key(new): new for old, new in pairs if old != new}


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


def _passes_with(
    functions: dict[Key, list[FunctionType]],
    codes: dict[Key, CodeType],
    session: pytest.Session,
    tests: Sequence[Reached],
) -> bool:
    """Return whether the tests pass while functions have this code instead of their own."""
    change(functions, codes)
    for each in tests:
        signal.setitimer(signal.ITIMER_REAL, LEAST_S + TIMES * each.seconds)
        if not _passes(session, [each.test]):
            return False
    return True
