"""Programs as players: what they answer counts, and each failure is reported with its kind."""

import asyncio
import os
import shlex
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from mancala.bot.players.programs.external import ExternalBot, ExternalError, Failure
from mancala.protocol.rules import Board
from tests.bot.players.turns import question
from tests.patience import PATIENCE_S

LONG_S = 20.0
SHORT_S = 0.2

Make = Callable[[str], ExternalBot]


@pytest.fixture
async def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """Return a maker of players from the body of a Python program; `ask()` reads a question."""
    monkeypatch.setattr("mancala.bot.players.programs.process.EXIT_WAIT_S", PATIENCE_S)
    players: list[ExternalBot] = []
    prelude = (
        "import os, sys, time\n"
        "def ask(): return sys.stdin.readline().split()\n"
        "def say(*lines):  # in one write, also where PYTHONUNBUFFERED is set\n"
        "    sys.stdout.write('\\n'.join(map(str, lines)) + '\\n')\n"
        "    sys.stdout.flush()\n"
    )

    def make(body: str) -> ExternalBot:
        file = tmp_path / f"program{len(players)}.py"
        file.write_text(prelude + body)
        players.append(ExternalBot(f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}"))
        return players[-1]

    yield make
    for player in players:
        await player.close()


async def test_the_last_pit_before_done_counts(program: Make) -> None:
    """A program names better and better pits and ends with ``done``; each one is offered."""
    offers: list[int] = []
    player = program("while ask(): say(0, '', 2, 'done')")
    heard = question(budget_s=LONG_S, heard=lambda pit, _info: offers.append(pit))
    assert (await player.choose(heard)).pit == 2
    assert offers == [0, 2]


async def test_a_program_is_told_the_board_and_its_time(program: Make) -> None:
    """The line is the board with the mover first and in ms the budget, or less.

    Less by what it took to start the program: on a busy machine that shows.
    """
    player = program(
        "board, ms = ask()\n"
        "say(int(board == '<2,3,4,1,1,2,2>' and 10000 < int(ms) <= 20000), 'done')"
    )
    board = Board.from_text("<2,3,4,1,1,2,2>")
    assert (await player.choose(question(board, budget_s=LONG_S))).pit == 1


ASKED_WITH_NUMBERS = (
    "ask(); say('ready')\n"
    "n = ask()[2]; say('0 ' + n)\n"
    "m = ask()[2]; say('9 ' + n, 'done ' + n, '3 ' + m, 'done ' + m); ask()"
)
OLD_ANSWERS = (
    "ask(); say(0, 'done')\n"
    "ask(); say(1); sys.stdin.readline(); say(5, 'done')\n"
    "say(2, 'done')\n"
    "sys.stdin.readline()"
)
COUNTS = "n = 0\nwhile ask():\n    say(n, 'done')\n    n += 1"


@pytest.mark.parametrize(
    ("body", "is_rehearsed", "answers"),
    [
        (COUNTS, False, [(LONG_S, 0), (LONG_S, 1), (LONG_S, 2)]),
        ("while ask(): say(0, 3)", False, [(SHORT_S, 3)]),
        ("while ask(): time.sleep(0.3); say(4, 'done')", False, [(0.01, 4)]),
        (OLD_ANSWERS, False, [(LONG_S, 0), (SHORT_S, 1), (LONG_S, 2)]),
        (f"print('My bot 1.0', flush=True)\n{COUNTS}", True, [(LONG_S, 1)]),
        (ASKED_WITH_NUMBERS, True, [(SHORT_S, 0), (LONG_S, 3)]),
        (
            "ask(); say('ready'); n = ask()[2]; say('4 ' + n, 'done ' + n); ask()",
            False,
            [(LONG_S, 4)],
        ),
        ("ask(); say(0); ask(); say('done', 5, 'done'); ask()", False, [(SHORT_S, 0), (LONG_S, 5)]),
    ],
    ids=[
        *("one process for all questions", "no done until the time is up"),
        *("slow, with nothing to play yet", "answers to an old question"),
        *("loading before its rehearsal", "ready for numbers"),
        *("ready in a game", "done for an old question"),
    ],
)
async def test_what_counts_of_what_a_program_says(
    program: Make, body: str, *, is_rehearsed: bool, answers: list[tuple[float, int]]
) -> None:
    """By question, the budget and the pit: the last one before the time is up, and no old one."""
    player = program(body)
    if is_rehearsed:
        await player.warm_up()
    for budget_s, pit in answers:
        assert (await player.choose(question(budget_s=budget_s, deadline_s=LONG_S))).pit == pit


async def test_a_crash_is_told_with_exit_code_and_stderr(program: Make) -> None:
    """A program that ends without an answer has crashed; the facts stand in the error."""
    player = program("ask(); print('out of luck', file=sys.stderr); sys.exit(3)")
    with pytest.raises(ExternalError, match="out of luck") as error:
        await player.choose(question(budget_s=LONG_S))
    assert (error.value.failure, error.value.exit_code) == (Failure.CRASHED, 3)
    assert error.value.stderr == ("out of luck",)
    assert error.value.board == Board.start().text


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("ask(); say('thinking...'); ask()", "stdout is for pits alone"),
        ("ask(); sys.exit(0)", "one question after another"),
    ],
)
async def test_a_beginners_fault_comes_with_what_to_do(
    program: Make, body: str, advice: str
) -> None:
    """The error says more than that the answer is wrong or missing."""
    with pytest.raises(ExternalError, match=advice):
        await program(body).choose(question(budget_s=LONG_S))


async def test_a_script_with_the_line_ends_of_windows_is_named_as_such(tmp_path: Path) -> None:
    """The system only says that there is no such file, and means the interpreter."""
    script = tmp_path / "bot.sh"
    script.write_bytes(b"#!/bin/sh\r\necho 0\r\n")
    script.chmod(0o755)
    with pytest.raises(ExternalError, match="CR LF"):
        await ExternalBot(str(script)).choose(question(budget_s=LONG_S))


async def test_a_hanging_program_is_killed_and_started_afresh(
    program: Make, tmp_path: Path
) -> None:
    """A program that says nothing until the deadline has hung; the next question has a new one."""
    mark = tmp_path / "hung once"
    player = program(
        f"from pathlib import Path\nmark = Path({str(mark)!r})\n"
        "ask()\n"
        "if not mark.exists():\n"
        "    mark.write_text(str(os.getpid()))\n"
        "    say(1, 'done'); time.sleep(600)\n"
        "say(1, 'done')\nwhile ask(): say(1, 'done')"
    )
    await player.warm_up()
    with pytest.raises(ExternalError) as error:
        await player.choose(question(budget_s=SHORT_S))
    assert error.value.failure is Failure.HUNG
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
    assert (await player.choose(question(budget_s=LONG_S))).pit == 1


@pytest.mark.parametrize("line", ["6", "-1", "banana", "1.0", "²", "9" * 5000])
async def test_output_that_is_no_legal_pit_is_quoted(program: Make, line: str) -> None:
    """What a program says that may not be sown is an error that quotes it."""
    player = program(f"ask(); say({line!r}); ask()")
    with pytest.raises(ExternalError) as error:
        await player.choose(question(budget_s=LONG_S))
    assert error.value.failure is Failure.ILLEGAL
    quoted = line.encode().decode("ascii", errors="backslashreplace")[:100]
    assert (error.value.line or "").startswith(quoted)


async def test_a_program_that_cannot_be_started_is_named() -> None:
    """A missing program is found before the first game."""
    with pytest.raises(ExternalError, match="no-such-program") as error:
        await ExternalBot("./no-such-program --fast").warm_up()
    assert error.value.failure is Failure.NOT_STARTED


async def test_a_cancelled_question_leaves_the_program_usable(program: Make) -> None:
    """When a question is closed early, the program's late answer does not spoil the next one."""
    asked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    player = program(
        "ask(); say(0, 'done')\n"
        "ask(); say(1); sys.stdin.readline(); say(5, 'done', 2, 'done')\n"
        "sys.stdin.readline()"
    )
    await player.choose(question(budget_s=LONG_S))
    closed = question(budget_s=LONG_S, heard=lambda _pit, _info: asked.set_result(None))
    task = asyncio.create_task(player.choose(closed))
    await asked
    task.cancel()
    await asyncio.wait([task])
    assert (await player.choose(question(budget_s=LONG_S))).pit == 2


async def test_a_program_that_cannot_rehearse_plays_without(program: Make, tmp_path: Path) -> None:
    """One that crashes at the rehearsal is started again, and is asked the first real question."""
    mark = tmp_path / "rehearsed"
    player = program(
        f"from pathlib import Path\nmark = Path({str(mark)!r})\n"
        "board = ask()[0]\n"
        "if not mark.exists(): mark.touch(); sys.exit(1)\n"
        "say(0, 'done'); ask()"
    )
    await player.warm_up()
    assert (await player.choose(question(budget_s=LONG_S))).pit == 0


async def test_silence_after_a_failed_rehearsal_is_told_with_how_that_failed(
    program: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A restart that is slower than a move was called hung, and the crash was never told."""
    mark = tmp_path / "rehearsed"
    player = program(
        f"from pathlib import Path\nmark = Path({str(mark)!r})\n"
        "ask()\n"
        "if not mark.exists(): mark.touch(); print('no table', file=sys.stderr); sys.exit(3)\n"
        "time.sleep(600)"
    )
    with caplog.at_level("WARNING"):
        await player.warm_up()
    assert "in its rehearsal it crashed; exit code 3; stderr: no table; it is" in caplog.text
    with pytest.raises(ExternalError) as error:
        await player.choose(question(budget_s=SHORT_S))
    told = "since its start; in its rehearsal it crashed; exit code 3; stderr: no table"
    assert error.value.failure is Failure.SLOW
    assert told in error.value.detail


@pytest.mark.parametrize(
    ("body", "failure", "budget_s"),
    [
        ("ask(); say(*['debug ' * 8] * 400); time.sleep(600)", Failure.ILLEGAL, LONG_S),
        ("ask(); print('x' * 70_000, flush=True); time.sleep(600)", Failure.ILLEGAL, LONG_S),
        ("ask()\nwhile True: print(0)", Failure.FLOODED, LONG_S),
        ("ask()\nwhile True: print('no idea', file=sys.stderr)", Failure.HUNG, 1.0),
        ("ask(); sys.stdout.close(); os.close(1); time.sleep(600)", Failure.CRASHED, LONG_S),
    ],
)
async def test_nothing_that_a_program_writes_holds_up_its_end(
    program: Make, body: str, failure: Failure, budget_s: float
) -> None:
    """However much is unread when a program fails, the failure is reported and the program gone."""
    player = program(body)
    with pytest.raises(ExternalError) as error:
        await player.choose(question(budget_s=budget_s))
    assert error.value.failure is failure
    await player.close()


async def test_what_a_program_started_ends_with_it(program: Make, tmp_path: Path) -> None:
    """Also a process that ignores SIGTERM, left its session and its parent, and holds the pipes."""
    note = tmp_path / "pid"
    player = program(
        "import signal, pathlib\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        f"        with open({str(note)!r} + '.part', 'w') as file: file.write(str(os.getpid()))\n"
        f"        os.rename({str(note)!r} + '.part', {str(note)!r})\n"
        "        time.sleep(600)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        f"while not pathlib.Path({str(note)!r}).exists(): pass\n"
        "while ask(): say(0, 'done')"
    )
    assert (await player.choose(question(budget_s=LONG_S))).pit == 0
    await player.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)
