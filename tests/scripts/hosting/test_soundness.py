"""A program that cannot fail, run before others are blamed."""

import subprocess
from pathlib import Path

import msgspec
import pytest

from mancala.scripts.hosting import soundness
from mancala.scripts.hosting.handin import HostFaultError
from mancala.scripts.hosting.soundness import require_sound_host
from mancala.scripts.sandbox.limits import SandboxLimits
from mancala.scripts.sandbox.run import SandboxOrder, command_of

LIMITS = SandboxLimits(isolated=False)


def test_a_sound_host_leaves_nothing(tmp_path: Path) -> None:
    """The folder is made, and is empty afterwards."""
    require_sound_host(LIMITS, tmp_path / "new", tmp_path / "none")
    assert list((tmp_path / "new").iterdir()) == []


def test_the_last_line_of_why_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As bubblewrap writes it, where the machine no longer allows namespaces."""
    fails = ["sh", "-c", "echo bwrap: no namespaces >&2; exit 1"]
    monkeypatch.setattr(soundness, "command_of", lambda _: fails)
    with pytest.raises(HostFaultError, match=r"a fault of the host.*: bwrap: no namespaces$"):
        require_sound_host(LIMITS, tmp_path, tmp_path / "none")


def test_a_folder_that_cannot_be_written_is_the_hosts(tmp_path: Path) -> None:
    """No order can be kept there."""
    (tmp_path / "file").write_text("")
    with pytest.raises(HostFaultError, match="a fault of the host"):
        require_sound_host(LIMITS, tmp_path / "file", tmp_path / "none")


def test_a_run_that_the_host_could_not_make_is_its_fault(tmp_path: Path) -> None:
    """Also where that has passed: the sandbox is there again, the disk has room."""
    runs, file = tmp_path / "runs", tmp_path / "order.json"
    order = SandboxOrder(
        program=str(tmp_path), command="true", limits=LIMITS, log=str(tmp_path), runs=str(runs)
    )
    file.write_bytes(msgspec.json.encode(order))
    assert subprocess.run(command_of(file), capture_output=True, check=False).returncode == 1
    with pytest.raises(HostFaultError, match=r"a fault of the host.*Is a directory"):
        require_sound_host(LIMITS, tmp_path / "new", runs)
