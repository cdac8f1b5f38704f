"""Ctrl-C at odd moments of the long commands, as a terminal sends it: to the whole group."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.patience import PATIENCE_S

PROGRAM = """
import signal, sys
from mancala.__main__ import main
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
sys.stderr.write("begun\\n")
sys.stderr.flush()
main()
"""
"""The command as at a terminal: a job in the background is born deaf to Ctrl-C."""
LATEST_S = 1.5
COMMANDS = {
    "match": "match engine:movetime=0.05 minimax:depth=3 --games 1000 --dir {folder}/match",
    "tournament": "tournament random greedy alphabeta:depth=5 --games 1000 --dir {folder}/event",
    "analyze": "analyze --time 1000",
    "solve": "solve --pits 7 --seeds 7 --tables 4",
    "prove": "prove kalah:6,6 --dir {folder}/proof --tables 4 --memory 64",
    "openings": "openings {folder}/openings.json --count 100000",
    "endgame": "endgame build --seeds 20",
    "fit": "tune --fit --out {folder}/w.json --tables 4 --resume {folder}/fit",
    "play": "tune --play --out {folder}/w.json --generations 100000",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_ends_a_command_with_what_it_has(command: str, tmp_path: Path) -> None:
    """At any moment: code 130, one JSON object that says so, one line on stderr, no traceback."""
    delay_s = Random(command).uniform(0.0, LATEST_S)
    words = COMMANDS[command].format(folder=tmp_path).split()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        time.sleep(delay_s)
        os.killpg(process.pid, signal.SIGINT)
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 130, f"Ctrl-C after {delay_s} s: {stderr}"
    assert json.loads(stdout)["interrupted"] is True
    assert "Traceback" not in stderr
    assert "KeyboardInterrupt" not in stderr
    assert "mancala: interrupted" in stderr
