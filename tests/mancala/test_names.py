"""The public names: each is there, and loading them loads no more than they need."""

import subprocess
import sys
import tomllib
from importlib import import_module
from inspect import getdoc, getmembers, isclass, isroutine
from typing import Final

import pytest

import mancala
from mancala.plugins import entries
from tests.sources import ROOT, run_python

HEAVY: Final = ("numba", "numpy", "sqlalchemy", "aiomqtt", "starlette")


def loaded_by(program: str) -> str:
    ending = f"import sys; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = run_python("-c", f"{program}; {ending}")
    return done.stdout.strip()


@pytest.mark.parametrize("name", sorted(mancala.HOMES))
def test_a_public_name_is_the_object_of_the_module_that_defines_it(name: str) -> None:
    """The façade hands on and wraps nothing."""
    assert getattr(mancala, name) is getattr(import_module(mancala.HOMES[name]), name)


def test_every_public_name_is_listed() -> None:
    """What completes in an editor is what can be imported."""
    assert set(mancala.HOMES) | {"MissingExtraError"} == set(mancala.__all__) == set(dir(mancala))
    bot = import_module("mancala.bot")
    assert set(dir(bot)) == set(bot.__all__) < set(mancala.__all__)


def test_every_public_function_and_method_has_its_sentence() -> None:
    """What is rendered of them; the linter asks for none inside the rooms."""
    public = {name: getattr(mancala, name) for name in mancala.__all__}
    for name, kind in [*public.items()]:
        if isclass(kind):
            members = getmembers(kind, lambda it: isroutine(it) or isinstance(it, property))
            public |= {f"{name}.{part}": it for part, it in members if not part.startswith("_")}
    asked = {name: it for name, it in public.items() if isroutine(it) or isinstance(it, property)}
    assert len(asked) > 100
    assert [name for name, it in asked.items() if not getdoc(it)] == []


def test_an_unknown_name_is_an_import_error() -> None:
    """A misspelt name fails as in any module."""
    with pytest.raises(AttributeError, match="no attribute 'Trun'"):
        mancala.Trun  # type: ignore[attr-defined]  # noqa: B018


def test_a_bot_loads_neither_the_engine_nor_the_server() -> None:
    """A bot on a small machine needs no compiler and no database."""
    assert loaded_by("from mancala import Bot, Choice, Turn, run") == ""


def test_the_facade_alone_loads_none_of_our_packages() -> None:
    """``import mancala`` costs what the interpreter costs."""
    program = "import mancala, sys; print(*{'bot', 'engine', 'protocol'} & vars(mancala).keys())"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == ""


def test_what_is_installed_has_the_entry_points_of_the_sources() -> None:
    """Else players and commands are missing: run bash scripts/setup.sh."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {
        (group.partition(".")[2], name, value.partition(":")[0])
        for group, names in project["entry-points"].items()
        if group.startswith("mancala.")
        for name, value in names.items()
    }
    ours = [each for each in entries() if each.package == project["name"]]
    assert {(each.group, each.name, each.module) for each in ours} == declared
