"""A program that cannot fail, run before others are blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mancala.scripts.hosting import soundness
from mancala.scripts.hosting.handin import HostFaultError
from mancala.scripts.hosting.soundness import require_sound_host
from mancala.scripts.sandbox.limits import SandboxLimits

LIMITS = SandboxLimits(isolated=False)


def test_a_sound_host_leaves_nothing(tmp_path: Path) -> None:
    """The folder is made, and is empty afterwards."""
    require_sound_host(LIMITS, tmp_path / "new")
    assert list((tmp_path / "new").iterdir()) == []


def test_the_last_line_of_why_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As bubblewrap writes it, where the machine no longer allows namespaces."""
    fails = ["sh", "-c", "echo bwrap: no namespaces >&2; exit 1"]
    monkeypatch.setattr(soundness, "command_of", lambda _: fails)
    with pytest.raises(HostFaultError, match=r"a fault of the host.*: bwrap: no namespaces$"):
        require_sound_host(LIMITS, tmp_path)


def test_a_folder_that_cannot_be_written_is_the_hosts(tmp_path: Path) -> None:
    """No order can be kept there."""
    (tmp_path / "file").write_text("")
    with pytest.raises(HostFaultError, match="a fault of the host"):
        require_sound_host(LIMITS, tmp_path / "file")
