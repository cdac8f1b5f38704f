"""``debian-mancala``: the program of Debian's package ``mancala`` as a player.

Its console game takes the letters of a person's pits and prints its own. It knows games from the
start alone, so a position that no known game leads to cannot be put to it.
"""

import os
import re
import subprocess
import time
from pathlib import Path
from select import select
from subprocess import PIPE
from typing import IO, Final

from mancala.protocol.messages import Reason
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import Board, Rules

from .history import History, leads_to
from .kind import PlayerKind, Settings, text, whole
from .spec import SpecError

DEBIAN: Final = "/usr/games/mancala"
LETTERS: Final = "ABCDEF"
MOST_SEEDS: Final = 10
"""Seeds a pit at the start; the program counts a pit in a byte with a sign."""
LEVEL: Final = whole("level", "sowings that it looks ahead", 4, low=1, high=9)
MOVED: Final = re.compile(rb"^Move for player at \w+: ([A-F])\n", re.MULTILINE)
"""A move of the program."""
LINES: Final = ("stdbuf", "-oL")
"""What has it write each line immediately, where it would keep all until its end."""
MOST_S: Final = 600.0
"""Longest time for an answer where no clock runs."""


class DebianPlayer(Player):
    """Debian's ``mancala`` at a level from 1 to 9; a process plays a game."""

    def __init__(self, program: str, level: int) -> None:
        self._program = program
        self._level = str(level)
        self._process: subprocess.Popen[bytes] | None = None
        self.new_game(0)

    def new_game(self, seed: int) -> None:  # noqa: ARG002  # the program takes none
        """End the last game."""
        self.close()
        self._history, self._said, self._heard = History(), 0, b""

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Ask the program; PlayerError where the game did not begin as its games do."""
        self._history.see(board)
        played = self._history.played
        seeds = board.rules.seeds
        is_its_game = seeds <= MOST_SEEDS and board.rules == Rules(seeds=seeds)
        if not (is_its_game and leads_to(played, board)):
            raise PlayerError(
                "Debian's mancala plays Kalah(6,n) for n up to 10, each game from its start: "
                "name --openings start"
            )
        try:
            process = self._process = self._process or self._started(board)
            letters = [LETTERS[pit] for who, pit in played if who != board.player]
            os.write(_number(process.stdin), "\n".join([*letters[self._said :], ""]).encode())
            self._said = len(letters)
            pit = LETTERS.index(self._letter(_number(process.stdout), budget.deadline_s))
        except OSError as error:
            raise PlayerError(f"{self._program}: {error}", reason=Reason.DISCONNECTED) from None
        self._history.play(board, pit)
        return Choice(pit)

    def _started(self, board: Board) -> subprocess.Popen[bytes]:
        levels = (self._level, "0") if board.player == 0 else ("0", self._level)
        command = (*LINES, self._program, *levels, str(board.rules.seeds))
        return subprocess.Popen(command, stdin=PIPE, stdout=PIPE, bufsize=0)  # noqa: S603  # the author's choice

    def _letter(self, out: int, deadline_s: float) -> str:
        """Read until its next move; the moves of a person are not printed."""
        limit = time.monotonic() + min(deadline_s, MOST_S)
        while len(found := MOVED.findall(self._heard)) <= len(self._history.own):
            if not select([out], [], [], max(0.0, limit - time.monotonic()))[0]:
                raise PlayerError("no answer in time", reason=Reason.TIMEOUT)
            if not (read := os.read(out, 1 << 16)):
                raise PlayerError(f"{self._program} ended", reason=Reason.DISCONNECTED)
            self._heard += read
        letter: bytes = found[len(self._history.own)]
        return letter.decode()


def _number(pipe: IO[bytes] | None) -> int:
    if pipe is None:
        raise OSError("it has no pipe")
    return pipe.fileno()


def _check_program(settings: Settings) -> None:
    program = settings.get("program", DEBIAN)
    if not Path(program).is_file():
        raise SpecError(f"debian-mancala: there is no {program}; apt install mancala brings it")


def _debian(settings: Settings) -> Player:
    _check_program(settings)
    return DebianPlayer(settings.get("program", DEBIAN), settings.get("level", 4))


DEBIAN_MANCALA: Final = PlayerKind(
    "debian-mancala",
    "the program of Debian's package mancala, in games from the start",
    (LEVEL, text("program", f"the program, if it is not {DEBIAN}", "a path")),
    _debian,
    _check_program,
)
