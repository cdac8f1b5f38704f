"""Fresh environments with the wheel in them, as a user has them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

UV: Final = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}") or "uv"
PATIENCE_S: Final = 300.0


class InstalledWheel:
    """An environment with the wheel in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        self.mancala = folder / "bin" / "mancala"

    @property
    def packages(self) -> Path:
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found

    def size(self) -> int:
        return sum(file.stat().st_size for file in self.packages.rglob("*") if file.is_file())


def output(*command: object, cwd: Path | None = None) -> str:
    """Return what a command prints; its stderr is shown when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def environment() -> dict[str, str]:
    hidden = {"PYTHONPATH", "VIRTUAL_ENV"}
    return {key: value for key, value in os.environ.items() if key not in hidden}


def build(source: Path, folder: Path) -> Path:
    command = (UV, "build", "--wheel", "--no-build-isolation", "--python", sys.executable)
    output(*command, "--out-dir", folder, source)
    (built,) = folder.glob("*.whl")
    return built
