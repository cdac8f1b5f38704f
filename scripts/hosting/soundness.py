"""A program that cannot fail, run as all others are, before one of them is blamed for failing.

A sandbox that was removed, a full disk, an upgrade while it runs: each of them ends every program,
and none of them is an author's fault.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from ..sandbox.limits import SandboxLimits
from ..sandbox.outcome import RunEnding, outcomes_of
from ..sandbox.run import SandboxOrder, command_of
from .handin import HandedFile, blamed_on_host, host_fault, write_files
from .shelf import write_whole

WORD: Final = "sound"


def require_sound_host(limits: SandboxLimits, folder: Path, runs: Path) -> None:
    """Check that this machine ran a program, and runs one now.

    Args:
        limits: what programs may use.
        folder: where programs are kept; made if it is missing.
        runs: the file in which the program's runs left their outcomes.

    Raises:
        HostFaultError: when it does not; the message has the last line of why.
    """
    for each in outcomes_of(runs):
        if each.ending is RunEnding.HOST:
            raise host_fault(each.stderr)
    with blamed_on_host():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".sound-", dir=folder.absolute()) as place:
            program, file = Path(place, "program"), Path(place, "order.json")
            write_files({"empty": HandedFile(b"", is_executable=False)}, program)
            order = SandboxOrder(program=str(program), command=f"echo {WORD}", limits=limits)
            write_whole(file, msgspec.json.encode(order))
            ran = subprocess.run(  # noqa: S603  # our own
                command_of(file),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
    if ran.returncode or ran.stdout.strip() != WORD:
        last = ran.stderr.strip().rpartition("\n")[2]
        raise host_fault(last or f"no program runs: exit code {ran.returncode}")
