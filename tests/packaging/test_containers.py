"""The build stages of the container files, run where there is nothing that builds containers."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tests.sources import ROOT

DEPLOY: Final = ROOT / "scripts" / "deploy"
EXTRAS: Final = re.compile(r'"\.\[([a-z,]+)\]"')
KNOWN: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
COMPILING: Final = "--compile-bytecode "
LINE: Final = re.compile(r"^(COPY|RUN) ((?:.*\\\n)*.*)$", re.MULTILINE)

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh Python, as in the image that both stages begin with."""
    folder = tmp_path_factory.mktemp("image") / "python"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder / "bin"


@pytest.mark.parametrize(
    ("name", "command"), [("Containerfile", "serve"), ("bot.Containerfile", "bot")]
)
def test_what_the_build_stage_installs_has_the_command(
    name: str, command: str, programs: Path, tmp_path: Path
) -> None:
    """Its lines are run in a folder instead of a container, the bot's without an extra.

    Of a server's extras its own is installed; the others, whose packages are large, have to exist.
    Modules are compiled, since the user of the container cannot write beside them: here the bot's.
    """
    stage = (DEPLOY / name).read_text().split("\nFROM ")[1]
    (tmp_path / "src").mkdir()
    path = f"{programs}:{os.environ['PATH']}"
    hidden = {"PYTHONPATH", "VIRTUAL_ENV"}
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    for kind, text in LINE.findall(stage):
        if kind == "COPY":
            *sources, target = text.split()
            for source in sources:
                _copy(ROOT / source, tmp_path / "src" / target, source)
        else:
            for extras in EXTRAS.findall(text):
                assert {"server"} <= set(extras.split(",")) <= KNOWN.keys()
            line = EXTRAS.sub('".[server]"', text).replace("--no-cache ", "")
            if command == "serve":
                line = line.replace(COMPILING, "")
            line = line.replace("/opt/", f"{tmp_path}/")
            shell = ["bash", "-euc", line]
            subprocess.run(
                shell, cwd=tmp_path / "src", env={**env, "PATH": path, "EXTRAS": ""}, check=True
            )
    assert COMPILING in stage
    if command == "bot":
        assert any(tmp_path.rglob("mancala/protocol/__pycache__/rules.*.pyc"))
    (mancala,) = tmp_path.glob("*/bin/mancala-arena")  # which is beside the package
    shown = subprocess.check_output([mancala, command, "--help"], cwd=tmp_path, env=env, text=True)
    assert f"mancala {command}" in shown


def _copy(source: Path, target: Path, name: str) -> None:
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copyfile(source, target / name)
