"""Try changes of modules: in forks of one pytest session, or with their tests imported anew.

All tests run once without a change, and what each executes in its own process is noted. A change
is tried with those alone that execute it; if it survives, also with those that start processes,
for which it stands in the file.
"""

import gc
import importlib
import json
import os
import signal
import sys
import time
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
from coverage import Coverage

from tests.mutation.mutants import SourceChange

PACKAGES: Final = ("mancala", "tests", "checks")
"""What is imported anew for each change; the last is a folder of tests beside another project."""
LONGEST_S: Final = 30
"""A change whose tests take longer does not end, and is noticed by that."""
LEAST_S: Final = 20
TIMES: Final = 5
"""A test in a session may take this long, and this many times as long as without the change."""
STARTING_S: Final = 60.0
"""How long those tests together take, unchanged, that a survivor is tried with besides."""
STARTS: Final = {"subprocess.Popen", "os.fork", "os.posix_spawn"}
"""Events of Python's audit hooks."""
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


class Reached(NamedTuple):
    """What one test executes: lines by module, in some seconds; whether it starts processes."""

    test: int
    lines: dict[str, set[int]]
    seconds: float
    starts: bool


class WithoutServers:
    """A plugin of pytest that leaves out the tests on PostgreSQL: starting it takes seconds."""

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not _needs_postgresql(item)]


class Trials:
    """A plugin of pytest that tries changes instead of running the collected tests once.

    Attributes:
        left: the places of those that need their tests to be imported anew, with these tests.
    """

    def __init__(self, changes: Sequence[ModuleChange]) -> None:
        self.survived: list[int] = []
        self.left: dict[int, list[str]] = {}
        self._changes = changes

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each change with the tests that reach it, the quickest first."""
        reached = self._reached(session)
        for number, change in enumerate(self._changes):
            tests = [each for each in reached if change.is_in(each.lines)]
            codes = codes_of(_loaded_as(change.module), change.mutant.text)
            if not tests or codes is None:
                near = sorted(reached, key=lambda each: change.module not in each.lines)
                self.left[number] = [session.items[each.test].nodeid for each in near]
                continue
            with _written(change, number):
                passes = partial(_passes_with, codes, session)
                if forked(partial(passes, tests), SESSION_S) and forked(
                    partial(passes, self._starting(session, reached, change)), SESSION_S
                ):
                    self.survived.append(number)
        return True

    def _starting(
        self, session: pytest.Session, reached: Sequence[Reached], change: ModuleChange
    ) -> list[Reached]:
        """Return tests that start processes and were not tried, those of the room first."""
        room = f"tests/{change.room}"
        others = [each for each in reached if each.starts and not change.is_in(each.lines)]
        others.sort(key=lambda each: not session.items[each.test].nodeid.startswith(room))
        taken = accumulate(each.seconds for each in others)
        return [each for each, sum_s in zip(others, taken, strict=True) if sum_s <= STARTING_S]

    def _reached(self, session: pytest.Session) -> list[Reached]:
        answer = Path("reached.json")
        modules = sorted({change.module for change in self._changes})
        if not forked(lambda: _traced(session, modules, answer), SESSION_S):
            raise RuntimeError(f"the tests of {', '.join(modules)} fail without a change")
        found = [
            Reached(test, {module: set(lines) for module, lines in by_module.items()}, *facts)
            for test, by_module, *facts in json.loads(answer.read_text())
        ]
        return sorted(found, key=lambda each: each.seconds)


def survivors(changes: Sequence[ModuleChange], tests: Sequence[str]) -> list[int]:
    """Return the places of the changes that tests do not notice, in a copy of the source tree.

    The working directory is that copy. The process loads the packages that the tests load, and
    none of the copy's own, so that each fork imports these anew.
    """
    answer = Path("survivors.json")
    for former in (answer, OUTPUT):
        former.unlink(missing_ok=True)
    forked(lambda: _session(tests, changes, answer), SESSION_S)
    if not answer.exists():
        raise RuntimeError(f"{' '.join(tests)} fail without a change:\n{OUTPUT.read_text()}")
    survived, left, loaded = json.loads(answer.read_text())
    for name in loaded:
        with suppress(Exception):  # a package of a package may not be imported by itself
            importlib.import_module(name)
    for number, near in left:
        run = partial(_passes_anew, near)
        with _written(changes[number], number):
            if forked(run, LONGEST_S + TIMES * len(near)):
                survived.append(number)
    return sorted(survived)


@contextmanager
def _written(change: ModuleChange, number: int) -> Iterator[None]:
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


def _passes_anew(tests: Sequence[str]) -> bool:
    return pytest.main([*OPTIONS, *tests], [WithoutServers()]) == 0


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


def _session(tests: Sequence[str], changes: Sequence[ModuleChange], answer: Path) -> bool:
    sys.dont_write_bytecode = False  # each import of the unchanged modules is spared compiling
    trials = Trials(changes)
    passed = pytest.main([*OPTIONS, *tests], plugins=[trials, WithoutServers()]) == 0
    if passed:
        loaded = [name for name in sys.modules if not _is_ours(name)]
        answer.write_text(json.dumps([trials.survived, list(trials.left.items()), loaded]))
    return passed


def _traced(session: pytest.Session, modules: Sequence[str], answer: Path) -> bool:
    paths = {module: os.path.realpath(module) for module in modules}
    tracer = Coverage(data_file=None, config_file=False, include=list(paths.values()))
    seconds: list[float] = []
    starting = set[int]()

    def note(event: str, _arguments: object) -> None:
        if event in STARTS:
            starting.add(len(seconds))

    sys.addaudithook(note)
    tracer.start()
    for test in range(len(session.items)):
        tracer.switch_context(str(test))
        begun = time.perf_counter()
        if not _passes(session, [test]):
            return False
        seconds.append(time.perf_counter() - begun)
    tracer.stop()
    lines: list[dict[str, list[int]]] = [{} for _ in seconds]
    for module, path in paths.items():
        for line, contexts in tracer.get_data().contexts_by_lineno(path).items():
            for name in filter(None, contexts):
                lines[int(name)].setdefault(module, []).append(line)
    found = [(test, lines[test], took, test in starting) for test, took in enumerate(seconds)]
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


Codes = tuple[dict[Key, list[FunctionType]], dict[Key, CodeType]]


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


def _passes_with(codes: Codes, session: pytest.Session, tests: Sequence[Reached]) -> bool:
    """Return whether the tests pass while functions have this code instead of their own."""
    change(*codes)
    for each in tests:
        signal.setitimer(signal.ITIMER_REAL, LEAST_S + TIMES * each.seconds)
        if not _passes(session, [each.test]):
            return False
    return True
