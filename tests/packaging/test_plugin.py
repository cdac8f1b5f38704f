"""A package of others that adds one of each: found by its metadata, and as an installed wheel."""

import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx
import orjson
import pytest

from tests.packaging.environments import PATIENCE_S, UV, InstalledWheel, build, environment, output
from tests.sources import ROOT

PLUGIN: Final = ROOT / "tests" / "data" / "plugin"
DOCUMENT: Final = ROOT / "docs" / "plugins.md"
BROKEN: Final = (
    "'broken' of the package mancala-example (mancala.players) fails: "
    "RuntimeError: this plug-in is broken"
)
LACKING: Final = "mancala_example_that_nobody_has is not installed; pip install "
IMPORTS: Final = """
import sys
from contextlib import suppress
from mancala.__main__ import main
sys.argv = ["mancala", "--help"]
with suppress(SystemExit):
    main()
print([name for name in sys.modules if name.startswith("mancala_example")])
"""


class PluggedArena(NamedTuple):
    """An environment with ours and the plug-in."""

    python: str
    env: dict[str, str]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [self.python, "-m", "mancala", *arguments]
        return subprocess.run(
            command, env=self.env, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )

    def asked(self, *arguments: str) -> Any:  # noqa: ANN401  # any JSON
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return orjson.loads(done.stdout)


@pytest.fixture(scope="module", params=["metadata", pytest.param("wheel", marks=pytest.mark.wheel)])
def arena(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> PluggedArena:
    """The plug-in beside this checkout, as far as Python sees it; or both as wheels."""
    if request.param == "metadata":
        folder = tmp_path_factory.mktemp("metadata")
        write_metadata(folder)
        path = os.pathsep.join(map(str, (folder, PLUGIN / "src")))
        return PluggedArena(sys.executable, {**os.environ, "PYTHONPATH": path})
    full: InstalledWheel = request.getfixturevalue("full")
    installed = InstalledWheel(tmp_path_factory.mktemp("environment") / "venv")
    output(UV, "venv", "--python", sys.executable, installed.folder)
    (installed.packages / "full.pth").write_text(f"{full.packages}\n")  # ours, once installed
    wheel = build(PLUGIN, tmp_path_factory.mktemp("plugin"))
    output(UV, "pip", "install", "--python", installed.python, "--no-deps", wheel)
    return PluggedArena(str(installed.python), environment())


def write_metadata(folder: Path) -> None:
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    info = folder / "mancala_example-0.1.dist-info"
    info.mkdir()
    extras = project["optional-dependencies"].items()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n"
        + "".join(f'Requires-Dist: {each}; extra == "{extra}"\n' for extra, (each,) in extras)
    )
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project["entry-points"].items()
        )
    )


@contextmanager
def served(arena: PluggedArena, folder: Path) -> Iterator[Any]:
    """Run a server with the gateway's table; yield what it prints."""
    config = folder / "arena.toml"
    config.write_text(
        f'port = 0\nhttp_port = 0\nstore = "{folder}/arena.sqlite3"\n'
        '[mqtt]\nprivate_broker = false\n[gateways.clock]\ngreeting = "hello"\n'
    )
    command = [arena.python, "-m", "mancala", "serve", "--config", str(config), "--json"]
    with subprocess.Popen(command, env=arena.env, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield orjson.loads(process.stdout.readline())
        finally:
            process.terminate()


def test_the_document_shows_what_is_tried_here() -> None:
    """Each program of ``docs/plugins.md`` stands in the example as it is."""
    blocks = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    sources = [path.read_text() for path in PLUGIN.rglob("*.py")]
    assert len(blocks) == 5
    assert not [block for block in blocks if not any(block in source for source in sources)]


def test_its_player_plays_a_match(arena: PluggedArena) -> None:
    """With its option, against one of ours."""
    assert arena.asked("match", "last:before=1", "random", "--games", "2")["games"] == 2


def test_what_fails_is_named_in_a_sentence_and_stops_nothing_else(arena: PluggedArena) -> None:
    """A module that raises, an extra that is missing, a name that is taken: ours is used."""
    done = arena.run("players", "--json")
    found = {kind["name"]: kind["meaning"] for kind in orjson.loads(done.stdout)["players"]}
    assert (found["random"], found["last"]) == ("any legal pit", "the last pit that may be sown")
    assert not {"broken", "lacking"} & found.keys()
    first, *others = sorted(done.stderr.splitlines())
    assert first == f"mancala: {BROKEN}"
    taken = "'random' of the package mancala-example (mancala.players) is left out: 'random' of"
    assert others[0].startswith(f"mancala: {taken} the package mancala-arena")
    assert others[1].startswith(f"mancala: {LACKING}")
    for player, sentence in (("broken", BROKEN), ("lacking", LACKING)):
        refused = arena.run("match", player, "random")
        assert (refused.returncode, sentence in refused.stderr) == (2, True)


def test_all_that_packages_add_is_listed(arena: PluggedArena) -> None:
    """With what is missing, and what fails."""
    entries = arena.asked("plugins")["plugins"]
    added = {each["name"]: each for each in entries if each["package"] == "mancala-example"}
    assert added.keys() == {
        *("last", "broken", "lacking", "random", "greet", "greeting", "clock", "chain", "tiny"),
        *("lost", "typed"),
    }
    assert {name for name, each in added.items() if each["fault"]} == {
        *("broken", "lacking", "random", "lost", "typed")
    }
    assert re.search(r"\[extra\]\"$", added["lacking"]["missing"])


def test_its_command_is_listed_without_being_imported_and_runs(arena: PluggedArena) -> None:
    """The help shows the first line of its module."""
    done = subprocess.run(
        [arena.python, "-c", IMPORTS], env=arena.env, capture_output=True, text=True, check=True
    )
    assert re.search(r"^  greet +Greet a person by name\.$", done.stdout, re.MULTILINE)
    assert done.stdout.splitlines()[-1] == "[]"
    assert arena.run("greet", "Ann").stdout == "Hello, Ann!\n"


def test_its_rules_are_a_preset_whose_text_every_peer_reads(arena: PluggedArena) -> None:
    """They are read by name, with changes too, and written out."""
    assert arena.asked("perft", "1", "--rules", "tiny")["nodes"] == 3
    listed = arena.asked("perft", "1", "--rules", "tiny:pits=2")
    assert listed["nodes"] == 2
    known = arena.run("perft", "1", "--rules", "huge").stderr
    assert "article, manchester, avalanche, congkak, mangala, oware, tiny" in known
    written = (arena.python, "-c", "from mancala import Rules; print(Rules.parse('tiny'))")
    printed = subprocess.check_output(written, env=arena.env, text=True)
    assert printed == "kalah:pits=3,seeds=2\n"


def test_an_event_of_its_format_is_played(arena: PluggedArena) -> None:
    """Two encounters of three players, each of two games."""
    players = ("last", "greedy", "random")
    event = arena.asked("tournament", *players, "--format", "chain", "--rules", "tiny")
    assert sum(each["games"] for each in event["standings"]) == 2 * 2 * 2
    refused = arena.run("tournament", *players, "--format", "circle")
    assert "one of rr, drr, gauntlet" in refused.stderr
    assert "chain" in refused.stderr


def test_its_gateway_accepts_and_its_page_is_served_and_linked(
    arena: PluggedArena, tmp_path: Path
) -> None:
    """Both run in a server whose settings have the gateway's table."""
    with served(arena, tmp_path) as told:
        (url,) = told["gateways"]["clock"]
        place = urlsplit(url)
        for before in range(2):
            with socket.create_connection((place.hostname, place.port), PATIENCE_S) as client:
                assert client.makefile().readline() == f"hello, {before} before you\n"
        html = httpx.get(f"{told['http']}/greeting", timeout=PATIENCE_S).text
        assert '<a href="/greeting">Greeting</a>' in html
        (script,) = re.findall(r'href="(/page/\w+/greeting\.js)"', html)
        module = httpx.get(f"{told['http']}{script}", timeout=PATIENCE_S).text
        assert "export async function greeting" in module
