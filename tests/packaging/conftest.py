"""The wheel, and environments with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.packaging.environments import UV, InstalledWheel, build, output
from tests.sources import ROOT


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout and packed as it is published."""
    built = build(ROOT, tmp_path_factory.mktemp("dist"))
    output("bash", ROOT / "scripts" / "pack.sh", built)
    return built


@pytest.fixture(scope="session")
def install(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], InstalledWheel]:
    """Install the wheel into a fresh environment, with the extras named."""

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
