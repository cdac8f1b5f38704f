"""``scripts/setup.sh`` on a machine that has Python and no uv."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.sources import ROOT

TOOLS: Final = ("bash", "dirname", "sed", "touch")
COPIED: Final = ("pyproject.toml", "requirements.lock", "README.md", "LICENSE", "scripts/setup.sh")

pytestmark = pytest.mark.wheel


def test_without_uv_the_locked_one_is_fetched_and_installs_the_rest(tmp_path: Path) -> None:
    """Everything of the lock file is there afterwards, and the command runs."""
    programs, checkout = tmp_path / "bin", tmp_path / "checkout"
    programs.mkdir()
    for tool in TOOLS:
        (programs / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    for name in COPIED:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, checkout / name)
    for folder in ("mancala", "protocol", "engine", "bot", "server"):
        shutil.copytree(ROOT / folder, checkout / folder, symlinks=True)
    shutil.copytree(ROOT / "scripts", checkout / "scripts", dirs_exist_ok=True)
    hidden = {"PATH", "PYTHONPATH", "VIRTUAL_ENV"}
    env = {key: value for key, value in os.environ.items() if key not in hidden}
    python = str(Path(sys.base_prefix) / "bin" / "python3")
    subprocess.run(
        [shutil.which("bash") or "/bin/bash", "scripts/setup.sh"],
        cwd=checkout,
        env={**env, "PATH": str(programs), "PYTHON": python},
        check=True,
    )
    assert (checkout / ".venv" / "ready").exists()
    mancala = checkout / ".venv" / "bin" / "mancala"
    version = subprocess.check_output([mancala, "--version"], env=env, text=True)
    assert version.startswith("mancala ")
    python = str(checkout / ".venv" / "bin" / "python")
    asked = [python, "-c", "import mancala; print(mancala.__file__)"]
    assert subprocess.check_output(asked, cwd=tmp_path, env=env, text=True).startswith(
        str(checkout)
    )
