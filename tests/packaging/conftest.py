"""The wheel, and environments with it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.packaging.environments import UV, InstalledWheel, output
from tests.sources import ROOT


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "made"
    script = ["bash", "scripts/release.sh", "--dry-run"]
    subprocess.run(script, cwd=ROOT, env={**os.environ, "OUT": str(folder)}, check=True)
    return folder


@pytest.fixture(scope="session")
def wheel(made: Path) -> Path:
    (built,) = made.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def install(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], InstalledWheel]:

    def fresh(extras: str) -> InstalledWheel:
        made = InstalledWheel(tmp_path_factory.mktemp("environment") / "venv")
        output(UV, "venv", "--python", sys.executable, made.folder)
        pins = ("--constraint", ROOT / "requirements.lock")
        compiled = () if extras else ("--compile-bytecode",)  # as pip does; its size is stated
        options = ("--python", made.python, *compiled, *pins)
        output(UV, "pip", "install", *options, f"{wheel}{extras}")
        return made

    return fresh


@pytest.fixture(scope="session")
def full(install: Callable[[str], InstalledWheel]) -> InstalledWheel:
    """What ``pip install "mancala-arena[all]"`` brings."""
    return install("[all]")
