"""The headless event that drills disturb: the command in a process of its own, and what it kept."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mancala.server.contest.headless.journal import EVENT, GAMES, EventJournal
from mancala.server.contest.headless.standings import STANDINGS_FILE

PLAYERS: Final = ("random", "captures", "engine:nodes=50", "mcts:playouts=20")
ENCOUNTERS: Final = 6
PATIENCE_S: Final = 300.0

Process = subprocess.Popen[bytes]


def encounter_of(games: int) -> int:
    """Return the games per encounter, in whole pairs, for about ``games`` in total."""
    return max(2, 2 * round(games / ENCOUNTERS / 2))


@dataclass(frozen=True, slots=True)
class EventFolder:
    """An event in a directory."""

    home: Path
    each: int
    seed: int

    @property
    def games(self) -> int:
        return self.each * ENCOUNTERS

    def start(self) -> Process:
        command = [sys.executable, "-m", "mancala.scripts.mancala", "tournament", *PLAYERS]
        command += ["--games", str(self.each), "--seed", str(self.seed)]
        begun = (self.home / EVENT).exists()
        command += ["--resume" if begun else "--dir", str(self.home), "--json"]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def kept(self) -> int:
        """Return the number of games kept so far; the event may be running."""
        try:
            return (self.home / GAMES).read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    def moves(self) -> dict[int, list[int]]:
        journal = EventJournal(self.home)
        journal.close()
        return {
            number: [move.pit for move in game.record.moves]
            for number, game in journal.games.items()
        }

    def table(self) -> bytes:
        return (self.home / STANDINGS_FILE).read_bytes()


def finish(process: Process) -> None:
    try:
        code = process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    if code:
        raise RuntimeError(f"the tournament ended with code {code}")
