"""FIDE's Dutch system, asked here and in a process of its own."""

import subprocess
from subprocess import CompletedProcess
from typing import Any

import pytest

from mancala.parent_death import ending_with_us
from mancala.server.contest.events import dutch
from mancala.server.contest.events.dutch import PairingFailedError, paired_here, paired_in_child
from mancala.server.contest.events.trf import SwissEvent, report

REPORT = report(SwissEvent(tuple("abcde"), 3, 2), (), ({},))
UNREADABLE = REPORT.replace("001    5", "001    x")


def test_a_process_of_its_own_answers_as_this_one_does() -> None:
    """By strength, the better ones take turns to begin; who is away is left out."""
    assert paired_here(REPORT, 1, (2,)) == ((1, 4), (5, 3))
    assert paired_in_child(REPORT, 1, (2,)) == ((1, 4), (5, 3))
    assert paired_in_child(REPORT, 1, ()) == ((1, 3), (4, 2), (5, 0))


@pytest.mark.parametrize("asked", [paired_here, paired_in_child])
def test_what_fails_says_why(asked: Any) -> None:  # noqa: ANN401  # either function
    """A report that can't be read gets one sentence, here and there."""
    with pytest.raises(PairingFailedError, match=r"^gacrux: .*line 11, 001    x"):
        asked(UNREADABLE, 1, ())


def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The round is not paired, and the reason is stated."""

    def hang(*_command: object, **_options: object) -> None:
        raise subprocess.TimeoutExpired("gacrux", dutch.LONGEST_S)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(PairingFailedError, match="gacrux did not pair within 60 s"):
        paired_in_child(REPORT, 1, ())


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (BlockingIOError(11, "Resource unavailable"), "gacrux was not started: .*unavailable"),
        (CompletedProcess((), -9, b"", b""), "gacrux ended with exit code -9"),
        (CompletedProcess((), 0, b"a warning", b""), "gacrux's answer is no pairing: "),
    ],
)
def test_a_process_that_can_not_answer_is_a_round_that_is_not_paired(
    monkeypatch: pytest.MonkeyPatch, outcome: OSError | CompletedProcess[bytes], why: str
) -> None:
    """Any other error ended the server. The process ends with the server, too."""

    def run(command: tuple[str, ...], **_options: object) -> CompletedProcess[bytes]:
        assert command[: len(ending_with_us())] == ending_with_us()
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(PairingFailedError, match=why):
        paired_in_child(REPORT, 1, ())
