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


def test_without_rights_the_missing_package_is_named(tmp_path: Path) -> None:
    """A user who may not install learns what to ask for."""
    program(tmp_path, "id", "echo 1000")
    program(tmp_path, "sudo", "exit 1")
    done = need("arena-broker", tmp_path)
    assert done.returncode == 1
    assert "apt-get install arena-broker" in done.stderr


def test_without_apt_the_missing_package_is_named(tmp_path: Path) -> None:
    """On another distribution, what is missing is printed."""
    program(tmp_path, "id", "echo 0")
    done = need("arena-broker", tmp_path)
    assert done.returncode == 1
    assert "arena-broker is missing" in done.stderr
