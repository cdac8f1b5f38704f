"""The situations for programs: right ones pass, broken ones fail with the right sentence."""

import asyncio
import shlex
import sys
from typing import Final
from unittest.mock import AsyncMock, Mock

import pytest

from mancala.scripts.conformance import programs
from mancala.scripts.conformance.programs import SITUATIONS, CheckedProgram, check
from mancala.scripts.conformance.robot import Times
from mancala.scripts.conformance.verdicts import FailureError
from tests.patience import PATIENCE_S

PRELUDE: Final = """\
import sys
def ask():
    line = sys.stdin.readline()
    if not line: sys.exit()
    return line.split()
def say(*lines): print(*lines, sep="\\n", flush=True)
def pit(board):
    numbers = [int(each) for each in board.strip("<>").split(",")]
    return next(i for i, seeds in enumerate(numbers[3:3 + numbers[0]]) if seeds)
"""
GAME_2: Final = """\
ask(); say("ready 2")
while True:
    words = ask()
    if words[0] == "position": board = words[1]
    if words[0] == "go": say(f"{pit(board)} value 2.5 depth 3 pv 0 {words[2]}", f"done {words[2]}")
    if words[0] == "quit": sys.exit()
"""
GOOD: Final = {
    "of version 2": GAME_2,
    "with done": "while True: say(pit(ask()[0]), 'done')",
    "after a banner": "say('My bot 1.0')\nwhile True: say(pit(ask()[0]), 'done')",
    "with numbers": "ask(); say('ready')\n"
    "while True: b, _, n = ask(); say(f'{pit(b)} {n}', f'done {n}')",
}
BROKEN: Final = {
    "exits": ("ask(); sys.exit(3)", "it ended with code 3"),
    "pit from 1": ("while True: say(pit(ask()[0]) + 6, 'done')", "got pit 6"),
    "talks": (
        "say(pit(ask()[0]), 'done')\nwhile True: ask(); say('hm')",
        "a pit or done; got 'hm'",
    ),
    "never ends its line": ("say('x' * 200_000); ask()", "got a line without an end"),
    "six pits": ("while True: ask(); say(5, 'done')", "got pit 5"),
    "never quits": (GAME_2.replace("sys.exit()", "pass"), "it still runs"),
    "waits for its time": (
        GAME_2.replace('words[0] == "go"', 'words[0] == "go" and int(words[1]) < 10000'),
        "expected a pit within 300 ms",
    ),
    "loses numbers": (
        "ask(); say('ready')\nwhile True: say(pit(ask()[0]), 'done')",
        "a line that ends with #1; got '0'",
    ),
    "one answer": ("say(pit(ask()[0]), 'done')\nwhile True: ask()", "expected a pit within 300 ms"),
    "one done": (
        "say(pit(ask()[0]), 'done')\nwhile True: say(pit(ask()[0]))",
        "expected done within 300 ms; got pits alone",
    ),
}
PATIENT: Final = Times(move_s=PATIENCE_S, late_s=PATIENCE_S)
BRIEF: Final = Times(move_s=0.3, late_s=0.2)
AWAITED: Final = {"one answer", "one done", "never quits", "waits for its time"}


def command(body: str) -> str:
    return shlex.join([sys.executable, "-c", PRELUDE + body])


@pytest.mark.parametrize("name", GOOD)
async def test_a_right_program_passes_all(name: str) -> None:
    """Whether it ends its answers with done, or asks for numbers."""
    report = await check(command(GOOD[name]), PATIENT)
    assert report.failed == []
    assert [verdict.situation for verdict in report.verdicts] == list(SITUATIONS)


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_program_fails_with_the_right_sentence(name: str) -> None:
    """One of its failures has it, with the lines that led there."""
    body, sentence = BROKEN[name]
    report = await check(command(body), BRIEF if name in AWAITED else PATIENT)
    assert sentence in "\n".join(str(verdict.failure) for verdict in report.failed)
    assert all(verdict.frames for verdict in report.failed)
    assert name not in AWAITED or all(it.failure and it.failure.is_late for it in report.failed)


@pytest.mark.parametrize(
    "body", ["while True: ask()", "import time\nwhile True: say('thinking'); time.sleep(0.01)"]
)
async def test_a_program_that_never_answers_is_asked_once(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each situation would take as long, and on no machine would a second check say another."""
    monkeypatch.setattr(programs, "START_UP_S", 0.5)
    report = await check(command(body), PATIENT)
    assert [it.failure.is_late for it in report.verdicts if it.failure] == [False]
    assert report.skipped == tuple(SITUATIONS)[1:]


@pytest.mark.parametrize(
    ("lines", "got"),
    [(b"", "nothing"), (b"[1] 0\ndone\n", "no pit: '[1] 0'"), (b"done\n", "no pit: 'done'")],
)
async def test_the_report_has_what_a_program_wrote_for_its_first_pit(
    lines: bytes, got: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As R's print writes a number; regression: nothing was said to have come."""
    monkeypatch.setattr(programs, "START_UP_S", 0.01)
    output = asyncio.StreamReader()
    output.feed_data(lines)
    process = Mock(stdout=output, stdin=Mock(drain=AsyncMock()))
    with pytest.raises(FailureError) as failed:
        await CheckedProgram(process, PATIENT).rehearse()
    assert failed.value.got == got


async def test_a_program_that_ends_before_its_first_answer_is_asked_nothing_more() -> None:
    """Its traceback stands in the terminal once, and the report names what was not tried."""
    report = await check(command("raise SystemExit(3)"), PATIENT)
    assert [str(verdict.failure) for verdict in report.failed] == [
        "expected that the program keeps running; got it ended with code 3"
    ]
    assert report.skipped == tuple(SITUATIONS)[1:]
