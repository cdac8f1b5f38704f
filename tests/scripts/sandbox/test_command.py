"""The command line of bubblewrap: what a program sees."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from mancala.scripts.sandbox.command import (
    Descriptors,
    Host,
    SandboxJob,
    ShownPath,
    environment_of,
    sandboxed,
)
from mancala.scripts.sandbox.limits import SandboxLimits
from tests import node

JOB: Final = SandboxJob(
    Path("/teams/ada"), "./bot", SandboxLimits(disk_mb=3), {"MANCALA_TOKEN": "secret"}
)
HOST: Final = Host(
    is_root=False,
    python="/usr/bin/python3",
    views=(
        ShownPath("/usr", Path("/usr")),
        ShownPath("/bin", "usr/bin"),
        ShownPath("/lib", "usr/lib"),
        ShownPath("/lib64", "usr/lib64"),
    ),
    environment={"PATH": "/usr/bin"},
)
ROOT: Final = replace(HOST, is_root=True)
ALONE: Final = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
    *("--disable-userns", "--new-session", "--die-with-parent"),
)


@pytest.mark.parametrize("host", [HOST, ROOT])
def test_a_job_has_namespaces_of_its_own(host: Host) -> None:
    """Users, processes, network, shared memory and host name are its own, under root too."""
    words = sandboxed(JOB, host, "", Descriptors())
    assert set(ALONE) <= set(words)


@pytest.mark.parametrize("host", [HOST, ROOT])
def test_all_that_a_job_sees_of_the_host_is_read_only(host: Host) -> None:
    """No view is bound for writing; the two folders to write in are bounded."""
    words = sandboxed(JOB, host, "", Descriptors())
    bound = {words[n + 1] for n, word in enumerate(words) if word == "--bind"}
    assert bound <= {"/proc", "/"}  # between the two steps under root, before the program
    assert "--bind" not in words or host.is_root
    at = words.index("/work", words.index("--size"))
    assert words[at - 3 : at + 1] == ["--size", str(3 << 20), "--tmpfs", "/work"]


def test_root_never_runs_a_program() -> None:
    """Under root the second step is another user's, without any privilege."""
    words = sandboxed(JOB, ROOT, "", Descriptors())
    become = words[words.index("setpriv") : words.index("--unshare-user")]
    assert "--reuid" in become
    assert "--bounding-set=-all" in become


def test_a_token_is_not_on_the_command_line() -> None:
    """It is in the environment, which other users of the machine cannot read."""
    assert "secret" not in " ".join(sandboxed(JOB, HOST, "", Descriptors()))
    assert environment_of(JOB, HOST)["MANCALA_TOKEN"] == JOB.environment["MANCALA_TOKEN"]


def test_open_files_are_named() -> None:
    """The filter of system calls and the channel reach those who use them."""
    words = sandboxed(JOB, HOST, "", Descriptors(channel=7, system_calls=8))
    assert words[words.index("--seccomp") + 1] == "8"
    assert '"channel": 7' in words[-1]


def test_any_user_may_run_a_job(tmp_path: Path) -> None:
    """A user without privileges needs one step, and its bubblewrap builds the same view."""
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    starter = Path("/usr/bin/python3")
    if not starter.exists():
        node.skip("not installed: /usr/bin/python3")
    program = tmp_path / "program"
    program.mkdir()
    for folder in (program, *program.parents):
        if folder.owner() == Path.home().owner() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o011)
    become = ["setpriv", "--reuid", "65531", "--regid", "65531", "--clear-groups"]
    source = "import os; print(sorted(os.listdir('/')), os.access('/', os.W_OK))"
    done = subprocess.run(
        [
            *(become if os.geteuid() == 0 else ()),
            *sandboxed(SandboxJob(program, "", SandboxLimits()), HOST, source, Descriptors()),
        ],
        env=environment_of(JOB, HOST),
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.stdout == (
        "['bin', 'dev', 'lib', 'lib64', 'proc', 'program', 'tmp', 'usr', 'work'] False\n"
    ), done.stderr
