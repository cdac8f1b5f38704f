"""``python -m scripts.mutation``: mutate modules, run their tests, list what survives."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, NamedTuple

import hypothesis
import pytest
import typer
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

from scripts.mutation.targets import OPERATORS, TARGETS

ROOT: Final = Path(__file__).parents[2]
COPIED: Final = ("protocol", "engine", "bot", "server", "scripts", "mancala", "tests")
LEAST_SCORE: Final = 0.9
LONGEST_S: Final = 120
"""A mutant whose tests take longer does not end, and is found by that."""
LOADED: Final = "ignore::pytest.PytestAssertRewriteWarning"
"""Plugins are loaded before the fork."""
OPTIONS: Final = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", LOADED)


class Mutation(NamedTuple):
    """One change of a module.

    Attributes:
        operator: the kind of change.
        text: the module with it.
    """

    operator: str
    text: str


def mutations(text: str) -> Iterator[Mutation]:
    """Yield every change of a module that is tried."""
    for name in OPERATORS:
        operator = get_operator(name)()
        occurrence = 0
        while (changed := mutate_code(text, operator, occurrence)) is not None:
            yield Mutation(name.removeprefix("core/"), changed)
            occurrence += 1


def passes(folder: Path, tests: Sequence[str]) -> bool:
    """Return whether the tests pass in a folder, in a process of their own."""
    child = os.fork()
    if child == 0:
        _run_tests(folder, tests)
    _, status = os.waitpid(child, 0)
    return status == 0


def _run_tests(folder: Path, tests: Sequence[str]) -> None:
    """Run the tests, and end the process."""
    signal.alarm(LONGEST_S)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    code = 1
    try:
        with (
            Path(os.devnull).open("w") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
        ):
            code = int(pytest.main([*OPTIONS, *tests]))
    finally:
        os._exit(code)


def _changed_lines(text: str, changed: str) -> str:
    lines = unified_diff(text.splitlines(), changed.splitlines(), n=0, lineterm="")
    return "\n".join(line for line in lines if line[:3] not in {"---", "+++"})


def _prepare() -> None:
    """Let a property test stop at its first failure, however slow the machine is."""
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutation", deadline=None, database=None, phases=phases)
    hypothesis.settings.load_profile("mutation")
    sys.dont_write_bytecode = True
    for name in [name for name in sys.modules if name.split(".")[0] in COPIED]:
        del sys.modules[name]


def score_of(module: str, tests: Sequence[str], folder: Path) -> float:
    """Try all mutations of a module; print those that survive, and return the share found.

    Raises:
        RuntimeError: when the tests fail without a change.
    """
    path = folder / module
    text = path.read_text()
    if not passes(folder, tests):
        raise RuntimeError(f"the tests of {module} fail without a change")
    tried = survived = 0
    for mutation in mutations(text):
        path.write_text(mutation.text)
        tried += 1
        if passes(folder, tests):
            survived += 1
            typer.echo(f"{module} {mutation.operator}\n{_changed_lines(text, mutation.text)}")
    path.write_text(text)
    score = 1 - survived / max(1, tried)
    typer.echo(f"{module}: {tried} mutations, {survived} survived, score {100 * score:.1f} %")
    return score


def main(
    modules: Annotated[list[str] | None, typer.Argument(help="Only these; by default all.")] = None,
) -> None:
    """Mutate modules, and run their tests on each mutation."""
    with TemporaryDirectory(prefix="mancala-mutation-") as place:
        folder = Path(place)
        for package in COPIED:
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / package, folder / package, ignore=ignore)
        shutil.copyfile(ROOT / "pyproject.toml", folder / "pyproject.toml")
        _prepare()
        scores = [score_of(module, TARGETS[module], folder) for module in modules or TARGETS]
    raise typer.Exit(int(min(scores) < LEAST_SCORE))


if __name__ == "__main__":
    typer.run(main)
