"""Drill: programs with bad habits in one tournament, which ends by itself.

    python -m tests.drills.programs

Each program meets a well-behaved player. Some lose, each for the reason that holds for it; others
have a habit that must cost nothing. It fails when the tournament does not end, when a game ended
for another reason, or when a process of a program is left.
"""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from mancala.protocol.messages import Reason
from mancala.server.contest.headless.journal import EventJournal
from tests.drills.report import DrillReport, command_line

FIRST: Final = "random"
RULES: Final = "kalah:pits=3,seeds=2"
START_UP_S: Final = 3.0
MARGIN_S: Final = 1.5
PATIENCE_S: Final = 300.0
FAREWELL_S: Final = 5.0
LOOK_S: Final = 0.05
PRELUDE: Final = """\
import os, signal, subprocess, sys, time
def ask():
    line = sys.stdin.readline()
    if not line: sys.exit()
    return line.split()
def say(*lines): print(*lines, sep="\\n", flush=True)
def pit(board):
    own = board.strip("<>").split(",")[3:6]
    return next(i for i, seeds in enumerate(own) if seeds != "0")
def answer(): say(pit(ask()[0]), "done")
def worker():
    fields = open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()
    return int(fields[1])
"""
PLAY: Final = "while True: answer()\n"


class ProgramFault(NamedTuple):
    """What a program does.

    Attributes:
        reason: why it loses; None when the habit costs nothing.
    """

    body: str
    reason: Reason | None


HABITS: Final[Mapping[str, ProgramFault]] = {
    "banner": ProgramFault("say('My bot 1.0', '(c) me')\n" + PLAY, None),
    "slow-start": ProgramFault("time.sleep(1)\n" + PLAY, None),
    "blank-lines": ProgramFault("while True: say('', pit(ask()[0]), '', 'done', '')", None),
    "stderr-chatter": ProgramFault(
        "while True:\n    print('thinking ' * 100, file=sys.stderr)\n    answer()", None
    ),
    "no-done": ProgramFault("while True: say(pit(ask()[0]))", None),
    "late-done": ProgramFault(
        "while True:\n"
        "    b, ms = ask(); say(pit(b)); time.sleep(int(ms) / 1000 + 0.1); say('done')",
        None,
    ),
    "ready": ProgramFault(
        "ask(); say('ready')\nwhile True:\n    b, ms, n = ask(); say(f'{pit(b)} {n}', f'done {n}')",
        None,
    ),
    "ready-late-lines": ProgramFault(
        "ask(); say('ready'); old = '#0'\n"
        "while True:\n"
        "    b, ms, n = ask(); say(f'9 {old}', f'done {old}', f'{pit(b)} {n}', f'done {n}')\n"
        "    old = n",
        None,
    ),
    "ignores-sigterm": ProgramFault("signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + PLAY, None),
    "forks-away": ProgramFault(
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    if os.fork() == 0: time.sleep(3600)\n"
        "    os._exit(0)\n" + PLAY,
        None,
    ),
    "child-holds-pipes": ProgramFault("subprocess.Popen(['sleep', '3600'])\n" + PLAY, None),
    "debug-prints": ProgramFault("while True: ask(); say(*['debug ' * 8] * 400)", Reason.ILLEGAL),
    "long-line": ProgramFault("while True: ask(); say('x' * 70_000)", Reason.ILLEGAL),
    "half-line": ProgramFault(
        "while True:\n    ask(); sys.stdout.write('1'); sys.stdout.flush(); time.sleep(3600)",
        Reason.TIMEOUT,
    ),
    "illegal-pit": ProgramFault("answer()\nwhile True: ask(); say(7, 'done')", Reason.ILLEGAL),
    "negative-pit": ProgramFault("while True: ask(); say(-1, 'done')", Reason.ILLEGAL),
    "bytes": ProgramFault(
        "while True: ask(); sys.stdout.buffer.write(b'\\xff\\x00\\n'); sys.stdout.flush()",
        Reason.ILLEGAL,
    ),
    "silence": ProgramFault("while True: ask()", Reason.TIMEOUT),
    "deaf": ProgramFault("time.sleep(3600)", Reason.TIMEOUT),
    "only-done": ProgramFault("while True: ask(); say('done')", Reason.TIMEOUT),
    "stdout-flood": ProgramFault(
        "answer(); b = ask()[0]\nwhile True: print(pit(b))", Reason.PROTOCOL
    ),
    "stderr-flood": ProgramFault(
        "answer(); ask()\nwhile True: print('no idea', file=sys.stderr)", Reason.TIMEOUT
    ),
    "stops-worker": ProgramFault(
        "answer(); ask(); os.kill(worker(), signal.SIGSTOP)", Reason.WEDGED
    ),
    "kills-worker": ProgramFault(
        "answer(); ask(); os.kill(worker(), signal.SIGKILL)", Reason.WEDGED
    ),
    "stops-worker-at-start": ProgramFault("os.kill(worker(), signal.SIGSTOP)", Reason.WEDGED),
    "kills-worker-at-start": ProgramFault("os.kill(worker(), signal.SIGKILL)", Reason.WEDGED),
    "crash": ProgramFault("answer(); ask(); sys.exit(3)", Reason.DISCONNECTED),
    "stops-itself": ProgramFault(
        "answer(); ask(); os.kill(os.getpid(), signal.SIGSTOP)", Reason.TIMEOUT
    ),
}
SHORT: Final = ("late-done", "forks-away", "debug-prints", "long-line", "stdout-flood", "crash")
"""The habits of the short form: the classes that once hung a tournament or lost a game wrongly."""


def drill(
    *,
    short: Annotated[bool, typer.Option("--short", help="Only a few of the habits.")] = False,
    margin_s: float = MARGIN_S,
    start_up_s: float = START_UP_S,
) -> DrillReport:
    """Play the tournament; answers may be late by ``margin_s``."""
    names = SHORT if short else tuple(HABITS)
    with tempfile.TemporaryDirectory(prefix="mancala-drill-") as place:
        began = time.monotonic()
        ended = _play(Path(place), names, margin_s, start_up_s)
        seconds = time.monotonic() - began
        left = _left(place)
        reasons = _reasons(Path(place) / "event")
    expected = {name: HABITS[name].reason for name in names}
    wrong = {
        name: reasons.get(name, [])
        for name, reason in expected.items()
        if not reasons.get(name) or set(reasons[name]) != {reason}
    }
    promises = {
        "the_tournament_ended": ended,
        "each_game_ended_for_its_reason": not wrong,
        "no_process_is_left": not left,
    }
    figures = {"programs": len(names), "seconds": round(seconds, 1), "wrong": wrong, "left": left}
    return DrillReport("programs", 0, figures, promises)


def _play(place: Path, names: Collection[str], margin_s: float, start_up_s: float) -> bool:
    players = []
    for name in names:
        file = place / f"{name}.py"
        file.write_text(PRELUDE + HABITS[name].body)
        players.append(f"{name}=cmd:{shlex.join([sys.executable, str(file)])}")
    command = (
        *(sys.executable, "-m", "mancala.scripts.mancala", "tournament", FIRST, *players),
        *("--format", "gauntlet", "--rules", RULES, "--movetime", "0.2", "--disable-after", "1"),
        *("--margin", str(margin_s), "--start-up", str(start_up_s)),
        *("--dir", str(place / "event"), "--json"),
    )
    with suppress(subprocess.TimeoutExpired):
        done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
        return done.returncode == 0
    return False


def _reasons(home: Path) -> dict[str, list[Reason | None]]:
    """Return why each program forfeited its games, None for a game played to its end.

    A game in which the program was never asked is left out.
    """
    reasons: dict[str, list[Reason | None]] = {}
    with closing(EventJournal(home)) as journal:
        for game in journal.games.values():
            names = [player.name for player in game.record.players]
            seat = 1 - names.index(FIRST)
            name = names[seat]
            result = game.record.result
            lost = result is not None and game.forfeiter == name
            if lost or any(move.player == seat for move in game.record.moves):
                reasons.setdefault(name, []).append(result.reason if lost and result else None)
    return reasons


def _left(place: str) -> list[str]:
    """Return the processes of programs that outlive the tournament, and kill them."""
    until = time.monotonic() + FAREWELL_S
    while (found := _running(place)) and time.monotonic() < until:
        time.sleep(LOOK_S)
    for process in found:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return list(found.values())


def _running(place: str) -> dict[int, str]:
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = (entry / "cwd").readlink()
            if place in words or place in str(environment):
                found[int(entry.name)] = words
    return found


if __name__ == "__main__":
    command_line(drill)
