"""What a missing third-party package leads to: one line that says what to install."""

import json
import re
import subprocess
import tomllib
from typing import Any, Final

import pytest

from mancala.extras import EXTRAS, extra_for, install_words, missing
from tests.sources import ROOT, run_python

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WITHOUT: Final = (
    "import sys\n"
    "class Without:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        if name == {module!r}:\n"
    "            raise ModuleNotFoundError(f'No module named {{name!r}}', name=name)\n"
    "sys.meta_path.insert(0, Without())\n"
)


def without(module: str, program: str) -> subprocess.CompletedProcess[str]:
    return run_python("-c", WITHOUT.format(module=module) + program, check=False)


def modules(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[>=<]", entry)[0].replace("-", "_") for entry in requirements}


def test_every_requirement_of_an_extra_leads_to_an_extra_that_brings_it() -> None:
    """Adding a requirement to an extra takes adding its module here."""
    extras = PROJECT["optional-dependencies"]
    known = {extra: set(names) for extra, names in EXTRAS.items()}
    for extra, requirements in extras.items():
        if extra != "all":
            assert modules(requirements) <= known[extra]


def test_all_brings_each_extra_but_the_large_one() -> None:
    """``[all]`` names each of the others but the harnesses for models, which take 1 GB."""
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(re.findall(r"\w+", everything.partition("[")[2]))
    assert named == extras.keys() - {"all", "eval"}
    assert EXTRAS.keys() == extras.keys() - {"all"}


def test_a_submodule_leads_to_the_extra_of_its_package() -> None:
    """``numba.core`` is numba's."""
    error = ModuleNotFoundError("No module named 'numba.core'", name="numba.core")
    assert extra_for(error) == "engine"
    assert str(missing(error)) == f"numba.core is not installed; {install_words('engine')}"


def test_games_without_a_server_need_the_engine_alone() -> None:
    """``match`` asked for the server's packages, and with them for the engine's."""
    program = (
        "from mancala.extras import extra_for\n"
        "from mancala.server.contest.headless import standings\n"
        "try:\n    standings._fitted(None, {})\n"
        "except ModuleNotFoundError as error:\n    print(extra_for(error))"
    )
    assert without("numpy", program).stdout == "engine\n"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (None, 'pip install "mancala-arena[llm]"'),
        ({"url": "https://example.org/a.whl"}, 'pip install "mancala-arena[llm]"'),
        ({"url": "file:///srv/my%20arena", "dir_info": {}}, 'pip install "/srv/my arena[llm]"'),
        (
            {"url": "file:///srv/arena", "dir_info": {"editable": True}},
            'pip install -e "/srv/arena[llm]"',
        ),
        ({"url": "file:///srv/a-1.whl", "archive_info": {}}, 'pip install "/srv/a-1.whl[llm]"'),
    ],
    ids=["index", "address", "folder", "checkout", "wheel"],
)
def test_an_extra_is_installed_from_where_the_package_came(
    monkeypatch: pytest.MonkeyPatch, origin: dict[str, object] | None, words: str
) -> None:
    """A package that came from a folder is not looked for in an index."""

    class Installed:
        def read_text(self, _name: str) -> str | None:
            return None if origin is None else json.dumps(origin)

    monkeypatch.setattr("importlib.metadata.distribution", lambda _name: Installed())
    assert install_words("llm") == words


def test_an_unknown_module_leads_to_no_extra() -> None:
    """A bug of ours stays a traceback."""
    assert extra_for(ModuleNotFoundError("No module named 'x'", name="x")) is None
    assert extra_for(ValueError("numba")) is None


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("numba", ["perft", "3", "--json"], "engine"),
        ("numpy", ["play", "--player", "engine"], "engine"),
        ("numpy", ["serve", "--port", "0"], "server"),
        ("sqlalchemy", ["serve", "--port", "0"], "server"),
        ("aiomqtt", ["demo", "--first", "random", "--second", "greedy"], "server"),
        ("distributed", ["match", "random", "greedy", "--cluster", "tcp://127.0.0.1:1"], "dask"),
        ("distributed", ["prove", "--check", "it", "--cluster", "tcp://127.0.0.1:1"], "dask"),
    ],
)
def test_a_command_whose_extra_is_missing_says_what_to_install(
    module: str, arguments: list[str], extra: str
) -> None:
    """One line on stderr, nothing on stdout, no traceback."""
    program = f"sys.argv[1:] = {arguments!r}\nfrom mancala.__main__ import main\nmain()\n"
    done = without(module, program)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"mancala: {module} is not installed; {install_words(extra)}\n")


def test_a_name_of_the_library_whose_extra_is_missing_says_what_to_install() -> None:
    """A notebook without the engine learns what it lacks."""
    done = without("numba", "from mancala import Engine\n")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == (
        f"mancala.extras.MissingExtraError: numba is not installed; {install_words('engine')}"
    )
