"""What each test executes in its own process, traced once and kept until a source changes.

A file of tests is traced again if it or any source that is no file of tests is another.
"""

import ast
import json
import os
import shutil
import sys
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from coverage import Coverage

from tests.mutation.forks import forked, passes
from tests.sources import PRODUCT

STARTS: Final = {"subprocess.Popen", "os.fork", "os.posix_spawn"}
"""Events of Python's audit hooks."""
DISTANCES: Final = 4
"""Of the module's own folder; importing it; importing what imports it; all others."""
TRACED_S: Final = 1200
"""The tests of a file take less, unchanged."""
CODE: Final = {".py", ".js", ".toml", ".json", ".sql"}


class Reached(NamedTuple):
    """What one test executes: lines by module, in some seconds; whether it starts processes."""

    test: pytest.Item
    lines: Mapping[str, Container[int]]
    seconds: float
    starts: bool


class FileReach:
    """Files of tests with their tests, in a working directory that is the source tree.

    Args:
        items: the tests.
        modules: those that are changed, whose paths are relative to the source tree.
        folder: where what was traced before is kept; what other sources left there is removed.

    Attributes:
        tests: the tests of each file.
    """

    def __init__(
        self, items: Iterable[pytest.Item], modules: AbstractSet[str], folder: Path
    ) -> None:
        self.tests: dict[Path, list[pytest.Item]] = {}
        for item in items:
            self.tests.setdefault(item.path.relative_to(Path.cwd()), []).append(item)
        self._modules = modules
        self._rooms = sorted({Path(module).parts[0] for module in modules})
        self._traced: dict[Path, list[Reached]] = {}
        sources = _digest(path for path in sorted(Path().rglob("*")) if _is_shared(path))
        self._folder = folder / sources
        if not self._folder.exists():
            shutil.rmtree(folder, ignore_errors=True)

    def by_distance(self, module: str) -> list[list[Path]]:
        """Return the files by how far they are from a module, as `DISTANCES` has it."""
        room, name = f"tests/{Path(module).parent.as_posix()}", _name(module)
        users = {name, *(_name(each) for each in _modules() if name in _imported(each))}
        found: list[list[Path]] = [[] for _ in range(DISTANCES)]
        for path in self.tests:
            imported, is_own = _imported(path.as_posix()), path.parent.as_posix() == room
            is_near = (is_own, name in imported, not users.isdisjoint(imported), True)
            found[is_near.index(True)].append(path)
        found[0].sort(key=lambda path: path.stem != f"test_{name}")
        return found

    def of(self, path: Path) -> list[Reached]:
        """Return what the tests of a file execute, the quickest first.

        Raises:
            RuntimeError: if a test fails without a change.
        """
        if path not in self._traced:
            self._traced[path] = sorted(self._of(path), key=lambda each: each.seconds)
        return self._traced[path]

    def known(self, path: Path) -> list[Reached]:
        """Return the same; where it was not traced, as if each test executed all lines."""
        if path in self._traced or self._kept(path).exists():
            return self.of(path)
        lines = dict.fromkeys(self._modules, range(sys.maxsize))
        return [Reached(test, lines, 0.0, starts=False) for test in self.tests[path]]

    def _kept(self, path: Path) -> Path:
        name = blake2b(f"{self._rooms} {_digest([path])}".encode(), digest_size=16)
        return self._folder / f"{path.stem}-{name.hexdigest()}.json"

    def _of(self, path: Path) -> Iterator[Reached]:
        tests, kept = self.tests[path], self._kept(path)
        known = json.loads(kept.read_text()) if kept.exists() else {}
        if any(test.nodeid not in known for test in tests):
            self._folder.mkdir(parents=True, exist_ok=True)
            trace = partial(_traced, tests, self._rooms, kept)
            if not any(forked(trace, TRACED_S) for _ in range(2)):  # one may fail beside other work
                raise RuntimeError(f"tests of {path} fail without a change")
            known = json.loads(kept.read_text())
        for test in tests:
            by_module, seconds, starts = known[test.nodeid]
            lines = {each: set(by_module[each]) for each in self._modules & by_module.keys()}
            yield Reached(test, lines, seconds, starts)


@cache
def _modules() -> list[str]:
    return [path.as_posix() for room in PRODUCT for path in Path(room).rglob("*.py")]


def _name(module: str) -> str:
    path = Path(module)
    return path.parent.name if path.stem == "__init__" else path.stem


@cache
def _imported(module: str) -> set[str]:
    names = set[str]()
    for node in ast.walk(ast.parse(Path(module).read_text())):
        if isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.name for alias in node.names)
    return {name.rpartition(".")[2] for name in names}


def _is_shared(path: Path) -> bool:
    own = path.parts[:2] == ("tests", "mutation") or path.parts[0] in {"docs", "build"}
    return path.suffix in CODE and not own and not path.name.startswith("test_")


def _digest(paths: Iterable[Path]) -> str:
    found = blake2b(digest_size=16)
    for path in paths:
        found.update(f"{os.path.relpath(path)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def _traced(tests: Sequence[pytest.Item], rooms: Sequence[str], kept: Path) -> bool:
    """Run tests one by one, and write what each executes of rooms, by its name."""
    tracer = Coverage(
        data_file=None, config_file=False, include=[f"{os.path.realpath(room)}/*" for room in rooms]
    )
    seconds: list[float] = []
    starting = set[int]()

    def note(event: str, _arguments: object) -> None:
        if event in STARTS:
            starting.add(len(seconds))

    sys.addaudithook(note)
    tracer.start()
    for test in tests:
        tracer.switch_context(str(len(seconds)))
        begun = time.perf_counter()
        if not passes([test]):
            return False
        seconds.append(time.perf_counter() - begun)
    tracer.stop()
    lines: list[dict[str, list[int]]] = [{} for _ in tests]
    data = tracer.get_data()
    for path in data.measured_files():
        for line, contexts in data.contexts_by_lineno(path).items():
            for context in filter(None, contexts):
                lines[int(context)].setdefault(os.path.relpath(path), []).append(line)
    found = {
        test.nodeid: (lines[number], seconds[number], number in starting)
        for number, test in enumerate(tests)
    }
    kept.write_text(json.dumps(found))
    return True
