"""The public commands, run as their users run them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def mancala(*words: str) -> dict[str, Any]:
    """Run a command with ``--json`` in a process of its own and return what it prints.

    Raises:
        RuntimeError: when it fails, with what it says.
    """
    command = [sys.executable, "-m", "mancala", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
