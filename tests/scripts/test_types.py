"""The check of the page's types: with TypeScript, and without the means to get it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sources import ROOT

BASH = shutil.which("bash") or "/bin/bash"


def check(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if name != "MANCALA_SKIP_NOTHING"}
    return subprocess.run(
        [BASH, "scripts/types.sh"],
        cwd=ROOT,
        env={**own, "PATH": str(folder), "XDG_CACHE_HOME": str(folder), **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder with what a shell needs, and no node."""
    for name in ("mkdir", "bash"):
        (tmp_path / name).symlink_to(shutil.which(name) or "")
    (tmp_path / "id").write_text(f"#!{BASH}\necho 0\n")
    (tmp_path / "id").chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("environment", "code", "said"),
    [
        ({}, 0, "not checked: node and npm"),
        ({"MANCALA_SKIP_NOTHING": "1"}, 1, "node and npm are not installed"),
    ],
)
def test_without_node_the_check_is_skipped_and_says_so(
    bare: Path, environment: dict[str, str], code: int, said: str
) -> None:
    """A clone on a small machine can be checked all the same; continuous integration fails."""
    done = check(bare, **environment)
    assert (done.returncode, said in done.stderr) == (code, True)


def test_a_registry_out_of_reach_is_a_reason(bare: Path) -> None:
    """The version that is missing is named."""
    for name, script in (("node", "exit 0"), ("npm", "exit 1")):
        (bare / name).write_text(f"#!{BASH}\n{script}\n")
        (bare / name).chmod(0o755)
    done = check(bare)
    assert done.returncode == 0
    assert "npm can't fetch typescript" in done.stderr
