"""Drill: an event whose process is killed again and again ends like an undisturbed one.

    python -m tests.drills.tournament --games 600 --kills 30

The same round robin is played twice by ``mancala tournament``: once undisturbed, once with
``kill -9`` at random moments and ``--resume`` after each. It fails when a game is lost or played
twice, when the tables differ in a byte, or when a worker outlives the process that started it.
"""

import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

import psutil
import typer

from mancala.server.contest.headless.journal import EVENT, GAMES, EventJournal
from mancala.server.contest.headless.standings import STANDINGS_FILE
from tests.drills.report import DrillReport, SeedOption, command_line

LOOK_S: Final = 0.005
FAREWELL_S: Final = 10.0
MOST_DELAY_S: Final = 0.1
MOST_ATTEMPTS: Final = 5
"""How often an event is begun that ends before the first kill, as when the drill is held up."""


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


@dataclass(slots=True)
class Attack:
    """The kills of the disturbed event.

    Attributes:
        early: those before the resumed event had kept a game.
        orphans: workers that outlived their owner by `FAREWELL_S`.
    """

    kills: int = 0
    early: int = 0
    orphans: int = 0
    games_at: list[int] = field(default_factory=list)


def drill(
    *,
    games: Annotated[int, typer.Option(min=1, help="Approximate number of games.")] = 600,
    kills: Annotated[int, typer.Option(min=0, help="How often the event is killed.")] = 30,
    seed: SeedOption = 1,
) -> DrillReport:
    """Kill an event again and again, and compare it with an undisturbed one."""
    each = encounter_of(games)
    with tempfile.TemporaryDirectory(prefix="mancala-drill-") as place:
        calm = EventFolder(Path(place) / "undisturbed", each, seed)
        began = time.monotonic()
        finish(calm.start())
        undisturbed_s = time.monotonic() - began
        for attempt in range(MOST_ATTEMPTS):
            killed = EventFolder(Path(place) / f"disturbed-{attempt}", each, seed)
            attack = _attack(killed, kills)
            if attack.kills or not kills:
                break
        promises = {
            "every_game_was_played_once": sorted(killed.moves()) == list(range(killed.games)),
            "the_tables_are_the_same_bytes": killed.table() == calm.table(),
            "the_games_are_the_same": killed.moves() == calm.moves(),
            "no_worker_outlived_its_employer": attack.orphans == 0,
            "it_was_killed": attack.kills > 0 or kills == 0,
        }
    figures = {
        "games": killed.games,
        "kills_asked": kills,
        "kills": attack.kills,
        "kills_before_a_first_game": attack.early,
        "games_kept_at_each_kill": attack.games_at,
        "undisturbed_s": round(undisturbed_s, 3),
    }
    return DrillReport("tournament", seed, figures, promises)


def _attack(event: EventFolder, kills: int) -> Attack:
    """Kill the event repeatedly, spread over its games, then let it finish."""
    rng, attack = random.Random(event.seed), Attack()
    while attack.kills < kills:
        before = event.kept()
        left = event.games - before
        further = rng.randint(0, max(1, 2 * left // (kills - attack.kills + 2)))
        process = event.start()
        _wait_for_games(process, event, before + further)
        time.sleep(rng.uniform(0.0, MOST_DELAY_S))
        if process.poll() is not None:
            break
        workers = psutil.Process(process.pid).children()
        process.kill()
        process.wait()
        attack.kills += 1
        attack.games_at.append(event.kept())
        attack.early += event.kept() == before
        attack.orphans += _outliving(workers)
    finish(event.start())
    return attack


def _wait_for_games(process: Process, event: EventFolder, games: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while process.poll() is None and event.kept() < games:
        if time.monotonic() > deadline:
            process.kill()
            raise TimeoutError(f"{games} games were not played in {PATIENCE_S:.0f} s")
        time.sleep(LOOK_S)


def _outliving(workers: list[psutil.Process]) -> int:
    """Wait for workers to end; kill those that do not and return their number."""
    _, left = psutil.wait_procs(workers, FAREWELL_S)
    for worker in left:
        worker.kill()
    return len(left)


if __name__ == "__main__":
    command_line(drill)
