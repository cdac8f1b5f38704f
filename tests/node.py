"""Node, where it is installed, with websockets of its own or those of the package `ws`."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final, NoReturn

import pytest

QUIET: Final = ("--no-audit", "--no-fund", "--no-update-notifier")
NATIVE_SINCE: Final = 22
"""The first version of node that has websockets of its own."""


def skip(reason: str) -> NoReturn:
    """Skip the test; fail it where nothing may be skipped."""
    if os.environ.get("MANCALA_SKIP_NOTHING"):
        pytest.fail(reason)
    pytest.skip(reason)


def prepare(folder: Path, *packages: str) -> Path:
    """Make a folder in which node runs ES modules, and install packages there; return it."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        skip("node and npm are not installed")
    (folder / "package.json").write_text(json.dumps({"type": "module", "private": True}))
    if packages:
        npm(folder, "install", *packages)
    return folder


def npm(folder: Path, *arguments: str) -> None:
    """Run npm in a folder; skip the test where it can't be done, for want of a registry."""
    command = ["npm", *arguments, *QUIET, "--prefer-offline", "--ignore-scripts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        skip(f"npm {' '.join(arguments)} failed: {done.stderr[-500:]}")


def with_websockets(folder: Path) -> Path:
    """Make a folder in which node has websockets, natively or as the package `ws`."""
    prepare(folder)
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)  # noqa: S607  # the node in PATH
    if int(version.stdout.lstrip("v").split(".")[0]) < NATIVE_SINCE:
        npm(folder, "install", "ws@8")
    return folder
