"""Ctrl-C while a command works."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from mancala.scripts.console import interrupt
from tests.patience import PATIENCE_S

SWALLOWED = """
import signal, time
from mancala.scripts.console.interrupt import repeat_swallowed, until_interrupted

class Swallowing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

repeat_swallowed()
with until_interrupted() as interruption:
    Swallowing()
    time.sleep(1000)
print(interruption.happened)
"""


@pytest.fixture(autouse=True)
def _ctrl_c_of_tests() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_work_goes_on_after_an_interrupted_block() -> None:
    """What the block had done so far can be printed, whatever is pressed then."""
    with interrupt.until_interrupted() as interruption:
        signal.raise_signal(signal.SIGINT)
        pytest.fail("the block went on")
    signal.raise_signal(signal.SIGINT)
    assert interruption.marked({"games": 3}) == {"games": 3, "interrupted": True}


def test_a_block_cleans_up_undisturbed() -> None:
    """Ctrl-C pressed twice does not leave workers behind."""
    cleaned = False
    with interrupt.until_interrupted():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            cleaned = True
    assert cleaned


def test_a_result_that_is_whole_is_not_marked() -> None:
    """Without Ctrl-C nothing is added."""
    with interrupt.until_interrupted() as interruption:
        pass
    assert interruption.marked({"games": 3}) == {"games": 3}


def test_the_end_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    """The code is 130; with JSON there is one object on stdout."""
    with pytest.raises(SystemExit) as caught:
        interrupt.end_interrupted("continue with: this", json=True)
    assert caught.value.code == 130
    output = capsys.readouterr()
    assert json.loads(output.out) == {"interrupted": True}
    assert output.err == "mancala: interrupted; continue with: this\n"


def test_ctrl_c_in_a_finalizer_is_repeated() -> None:
    """Python drops the exception there; the command ends all the same, and quietly."""
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWED],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
