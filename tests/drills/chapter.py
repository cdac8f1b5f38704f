"""Drill: the figures of docs/classroom.md that take minutes are found anew.

    python -m tests.drills.chapter

The chapter's tests run its blocks and count what it counts. What is left are matches, tables of
long runs, and one proof: each is run by its command here, and compared with what the text says. It
fails when one differs; `tests.docs.test_classroom` fails when the text states another figure.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from itertools import chain
from typing import Final, NamedTuple

from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.protocol.record import from_article, replay
from tests.drills.report import DrillReport, command_line
from tests.protocol.test_record import ARTICLE
from tests.sources import ROOT

CHAPTER: Final = (ROOT / "docs" / "classroom.md").read_text().replace("\N{MINUS SIGN}", "-")
BLOCKS: Final = re.findall(r"^```text\n(.*?)^```$", CHAPTER, re.DOTALL | re.MULTILINE)
SEED: Final = 1
PLAIN: Final = "alphabeta:depth=3"


class StatedMatch(NamedTuple):
    """A match, with what the chapter says of the first player: a share of the points, and Elo."""

    one: str
    other: str
    share: str
    elo: str
    games: int = 100

    def found(self) -> tuple[str, str]:
        games = ("--games", str(self.games), "--seed", str(SEED), "--json")
        result = json.loads(_printed("match", self.one, self.other, *games))
        share, elo, error = 100 * result["score"], result["elo"], result["elo_error"]
        return f"{share:.0f} %", f"{elo:+.0f} ± {error:.0f}"


MATCHES: Final = (
    StatedMatch("alphabeta:count=sowings", "alphabeta", "21 %", "-230 ± 83"),
    StatedMatch(f"{PLAIN},ties=bounds", PLAIN, "40 %", "-67 ± 61"),
    StatedMatch(f"{PLAIN},quiescence=6", PLAIN, "65 %", "+107 ± 68"),
    StatedMatch(f"{PLAIN},singular=2", PLAIN, "44 %", "-42 ± 67"),
    StatedMatch(f"{PLAIN},secondary=2", PLAIN, "44 %", "-42 ± 61"),
    StatedMatch(f"{PLAIN},evaluation=weighted", PLAIN, "70 %", "+151 ± 69"),
    StatedMatch(f"{PLAIN},evaluation=side", PLAIN, "28 %", "-164 ± 79"),
    StatedMatch(
        "expectimax:depth=3,minimax=0.8", "expectimax:depth=3", "70 %", "+147 ± 84", games=60
    ),
)
LINES: Final[Mapping[str, tuple[str, ...]]] = {
    "learn nodes --depth 5": ("0.67, 0.63", "958", "0.66, 0.57"),
    "classics opponents --games 60": ("+5.9", "+28.9", "+1.1", "+29.0"),
}
"""Commands, and what they print of the text's figures."""
TABLES: Final = (
    "learn errors --positions 300 --depth 5",
    "tournament greedy captures defend random minimax:depth=3 --games 20",
)
"""Commands whose output is a block of the text, in the order of the text."""
PROOF: Final = "solve <6,9,4,1,0,3,8,1,0,0,3,8,2,1,8> --rules article --all-moves"
PROVEN: Final = ("0: -10", "4: +0")
DEPTHS: Final = (7, 8, 9)
ALIKE: Final = "15"
"""Of the positions of the article's agent, those in which all depths have the same best moves."""
AGENT: Final = 0


def drill() -> DrillReport:
    played = {each.one: each.found() for each in MATCHES}
    promises = {f"match {each.one}": played[each.one] == each[2:4] for each in MATCHES}
    for command, figures in (*LINES.items(), (PROOF, PROVEN)):
        printed = _printed(*command.split())
        promises[command] = all(each in printed for each in figures)
    for command, block in zip(TABLES, BLOCKS, strict=True):
        promises[command] = set(_rows(block)) <= set(_rows(_printed(*command.split())))
    boards = [each for each in replay(from_article(ARTICLE)) if each.player == AGENT]
    alike = sum(
        len({tuple(AlphaBetaPlayer(seed=SEED, depth=depth).best(each)) for depth in DEPTHS}) == 1
        for each in boards
        if not each.is_over
    )
    promises["depths 7, 8 and 9"] = str(alike) == ALIKE
    return DrillReport("chapter", SEED, {"matches": played, "alike": alike}, promises)


def stated() -> list[str]:
    matches = [figure for each in MATCHES for figure in (each.share, each.elo, str(each.games))]
    return [*matches, *chain.from_iterable(LINES.values()), *PROVEN, ALIKE]


def _printed(*words: str) -> str:
    command, wide = [sys.executable, "-m", "mancala", *words], {**os.environ, "COLUMNS": "100"}
    return subprocess.check_output(command, text=True, env=wide)


def _rows(table: str) -> list[tuple[str, ...]]:
    """Return the lines of a table with figures, as words."""
    return [tuple(line.split()) for line in table.splitlines() if re.search(r"\d", line)]


if __name__ == "__main__":
    command_line(drill)
