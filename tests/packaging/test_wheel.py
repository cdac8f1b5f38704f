"""The wheel in fresh environments: bare, as a bot author has it, and with the extras of ``[all]``.

``make wheel`` runs these tests, and ``.ci/run`` does; a plain ``pytest`` leaves them out, since
they fill two environments. Packages come from uv's cache, or from where uv is configured to look,
at the versions of requirements.lock, and kernels from this user's.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import orjson
import pytest

from mancala import links
from mancala.bot.starters import LANGUAGES
from tests.packaging.environments import PATIENCE_S, InstalledWheel, environment, output

LARGEST_BASE_BYTES: Final = 30_000_000
LARGEST_WHEEL_BYTES: Final = 2_140_000
BOARD: Final = "<6,25,27,2,2,4,2,0,0,1,2,5,1,1,0>"

BOT: Final = """
import asyncio
import sys

from mancala import Board, Choice, GameResult, Info, Rules, Turn, run


async def choose(turn: Turn) -> Choice:
    board: Board = turn.board
    assert eval(repr(board), {"Board": Board, "Rules": Rules}) == board
    return Choice(max(turn.legal, key=lambda pit: board.sow(pit).again), Info(depth=1))


if __name__ == "__main__":
    results: list[GameResult] = asyncio.run(run(sys.argv[1], choose, name="mine", games=2))
    print(*[result.reason for result in results])
"""
MISTAKEN: Final = """
from mancala import Board, Trun

Board.start().sow("2")
"""
ENGINE: Final = """
from mancala import Board, Engine, Limit, Report, analyse

reports: list[Report] = list(Engine().think(Board.start(), Limit(depth=3)))
best: int = analyse(Board.start(), time=0.5).pit
"""

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def bare(install: Callable[[str], InstalledWheel]) -> InstalledWheel:
    return install("")


@contextmanager
def server(installed: InstalledWheel, folder: Path) -> Iterator[str]:
    config = folder / "arena.toml"
    config.write_text(
        f'port = 0\nstore = "{folder}/arena.sqlite3"\n[mqtt]\nprivate_broker = false\n'
    )
    with (
        (folder / "server.log").open("wb") as log,
        subprocess.Popen(
            [installed.mancala, "serve", "--config", config, "--json"],
            cwd=folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=log,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, (folder / "server.log").read_text()
            yield orjson.loads(line)["url"]
        finally:
            process.terminate()


def test_the_wheel_holds_one_package_and_no_benches(
    wheel: Path, record_property: Callable[[str, object], None]
) -> None:
    """One package is there with the marker of its types; what only developers run is not.

    Beside it is the module of the second command, which says whose package is in the way.
    """
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    roots = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert roots == {"mancala", "mancala_arena.py"}
    assert {"mancala/py.typed", *(f"mancala/{room}/py.typed" for room in links.ROOMS)} <= names
    assert not [name for name in names if re.match(r"mancala/scripts/(bench|deploy)/", name)]
    record_property("wheel_bytes", wheel.stat().st_size)
    assert wheel.stat().st_size < LARGEST_WHEEL_BYTES


def test_the_base_is_small(
    bare: InstalledWheel, record_property: Callable[[str, object], None]
) -> None:
    """A bot author installs neither the compiler nor the database nor a second validator."""
    record_property("base_bytes", bare.size())
    assert bare.size() <= LARGEST_BASE_BYTES
    heavy = {"numba", "numpy", "pydantic", "sqlalchemy"}
    assert not heavy & {path.name for path in bare.packages.iterdir()}


def test_players_in_plain_python_meet_on_the_base(bare: InstalledWheel, tmp_path: Path) -> None:
    """A student's match needs no numpy; what does says so before a game is played."""
    env = {**environment(), "XDG_STATE_HOME": str(tmp_path)}
    match = [str(bare.mancala), "match", "minimax:depth=1", "random", "--games", "2", "--json"]
    done = subprocess.run(match, env=env, cwd=tmp_path, capture_output=True, check=True)
    assert orjson.loads(done.stdout)["pairs"] == 1
    tested = [*match, "--sprt", "0", "5"]
    for refused in ([str(bare.mancala), "tournament", "greedy", "random"], tested):
        done = subprocess.run(refused, env=env, cwd=tmp_path, capture_output=True, check=False)
        assert b"numpy is not installed" in done.stderr
        assert b"is kept in" not in done.stderr


def test_bots_of_the_base_play_on_a_server_of_the_full_installation(
    bare: InstalledWheel, full: InstalledWheel, tmp_path: Path
) -> None:
    """A program of the author's own, through the façade, against ``mancala bot``."""
    (tmp_path / "mine.py").write_text(BOT)
    env = {**environment(), "XDG_STATE_HOME": str(tmp_path)}
    with server(full, tmp_path) as url:
        options = ("--player", "greedy", "--name", "greedy", "--games", "2", "--json")
        with subprocess.Popen(
            [bare.mancala, "bot", url, *options], env=env, cwd=tmp_path, stdout=subprocess.PIPE
        ) as theirs:
            printed = output(bare.python, "mine.py", url, cwd=tmp_path)
            out, _ = theirs.communicate(timeout=PATIENCE_S)
    assert printed.split() == ["normal", "normal"]
    assert orjson.loads(out)["games"] == 2


def test_a_project_may_have_folders_with_the_names_of_our_rooms(
    bare: InstalledWheel, full: InstalledWheel, tmp_path: Path
) -> None:
    """A learner's repository has an ``engine``, a ``bot`` and a ``server`` of its own."""
    for room in links.ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("OURS = False\n")
    names = ", ".join(links.ROOMS)
    (tmp_path / "mine.py").write_text(
        f"import {names}\nfrom mancala import Board, Engine, Turn, run\n"
        f"print(any(room.OURS for room in ({names})), Engine.__module__)\n"
    )
    assert output(full.python, "mine.py", cwd=tmp_path) == "False mancala.engine.search.engine\n"
    asked = ("perft", "4", "--json")
    printed = output(full.python, "-m", "mancala", *asked, cwd=tmp_path)
    assert orjson.loads(printed)["nodes"] == 942
    listed = orjson.loads(output(bare.mancala, "players", "--json", cwd=tmp_path))
    assert listed["players"]


def test_the_base_plays_a_person_and_names_the_extra_of_the_engine(bare: InstalledWheel) -> None:
    """``mancala play`` works with a player that needs no extra, and ``players`` lists them all."""
    assert "You left the game unfinished" in output(bare.mancala, "play", "--player", "greedy")
    listed = orjson.loads(output(bare.mancala, "players", "--json"))["players"]
    assert {"engine", "greedy", "cmd"} <= {player["name"] for player in listed}
    done = subprocess.run(
        [bare.mancala, "analyze", BOARD], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert re.fullmatch(r'mancala: \w+ is not installed; pip install ".*\[engine\]"\n', done.stderr)


def test_the_base_writes_starters(bare: InstalledWheel, tmp_path: Path) -> None:
    """The starters of all languages are in the wheel, and the client that JavaScript shares."""
    for language in LANGUAGES:
        arguments = ("new", language, "--lang", language, "--json")
        written = orjson.loads(output(bare.mancala, *arguments, cwd=tmp_path))
        found = (path for path in (tmp_path / language).rglob("*") if path.is_file())
        assert sorted(written["files"]) == sorted(str(path.relative_to(tmp_path)) for path in found)
    assert (tmp_path / "javascript" / "client.js").exists()


def test_the_full_installation_analyses_and_shows_the_demo(
    full: InstalledWheel, tmp_path: Path
) -> None:
    """The engine loads what is compiled already where it was installed, and so does the demo."""
    analysis: dict[str, Any] = orjson.loads(
        output(full.mancala, "analyze", BOARD, "--time", "60", "--json", cwd=tmp_path)
    )
    assert (analysis["best"], analysis["value"]) == (2, 6)
    demo: dict[str, Any] = orjson.loads(
        output(full.mancala, "demo", "--games", "2", "--movetime", "0.05", "--json", cwd=tmp_path)
    )
    assert demo["games"] == 2


def mypy(installed: InstalledWheel, folder: Path, **programs: str) -> list[str]:
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text)
    command = [
        *(sys.executable, "-m", "mypy", "--strict", "--config-file="),
        *("--python-executable", str(installed.python), *(f"{name}.py" for name in programs)),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[:-1]


def test_the_installed_packages_are_typed(
    bare: InstalledWheel, full: InstalledWheel, tmp_path: Path
) -> None:
    """A checker follows the façade to the types, and finds an author's mistakes."""
    assert mypy(full, tmp_path, asks=ENGINE) == []
    unknown, wrong = mypy(bare, tmp_path, mine=BOT, mistaken=MISTAKEN)
    assert unknown.startswith("mistaken.py")
    assert 'Module "mancala" has no attribute "Trun"' in unknown
    assert '"sow" of "Board" has incompatible type "str"; expected "int"' in wrong
