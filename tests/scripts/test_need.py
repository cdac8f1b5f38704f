"""How a missing Debian package is got, or named, on machines of every kind."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sources import ROOT

BASH = shutil.which("bash") or "/bin/bash"


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!{BASH}\n{script}\n")
    path.chmod(0o755)


def need(package: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Ask for a package on a machine that has only the programs in a folder."""
    return subprocess.run(
        [BASH, str(ROOT / "scripts" / "need.sh"), package],
        env={**os.environ, "PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("wanted", "found"), [("arena-broker", "arena-broker"), ("postgresql", "pg_ctl")]
)
def test_a_program_that_is_there_is_not_installed(wanted: str, found: str, tmp_path: Path) -> None:
    """PostgreSQL's package has none of its name, and Debian keeps its programs off the path."""
    program(tmp_path, found, "exit 0")
    done = need(wanted, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_root_installs_what_is_missing(tmp_path: Path) -> None:
    """With the rights and with apt-get, the package is fetched."""
    program(tmp_path, "id", "echo 0")
    program(tmp_path, "apt-get", f'echo "$@" >> {tmp_path}/asked')
    assert need("arena-broker", tmp_path).returncode == 0
    assert (tmp_path / "asked").read_text().splitlines() == [
        "update",
        "install -y --no-install-recommends arena-broker",
    ]


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ({"id": "echo 1000", "sudo": "exit 1"}, "apt-get install arena-broker"),
        ({"id": "echo 0"}, "arena-broker is missing"),
    ],
    ids=["without rights", "without apt"],
)
def test_what_can_not_be_installed_is_named(
    tmp_path: Path, programs: dict[str, str], said: str
) -> None:
    """A user learns what to ask for, or what is missing on another distribution."""
    for name, does in programs.items():
        program(tmp_path, name, does)
    done = need("arena-broker", tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
