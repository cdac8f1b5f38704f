"""Debian's ``mancala``, in which two people play over pipes; the one at the top begins."""

import re
import subprocess
from pathlib import Path

BOARD = re.compile(r"(?:[a-f]:.*\n.*-\+-.*\n.*[a-f]:.*\n)")
OVER = "=== Game over"


def replay(moves: list[tuple[int, int]], folder: str) -> list[object]:
    """Replay a game; after its last sowing the program shows what it is with the rest counted."""
    letters = "".join(f"{'ABCDEF'[pit]}\n" for _, pit in moves)
    program = Path(folder) / "usr" / "games" / "mancala"
    told = subprocess.run(
        (program, "0", "0", "4"), input=letters, capture_output=True, text=True, check=True
    ).stdout
    if "not a legal move" in told:
        told = told[: told.index("not a legal move")]
    played, over, end = told.partition(OVER)
    shown: list[object] = [
        (*_seeds(each), 0 if "top" in asked else 1 if "bottom" in asked else None, None)
        for each, asked in zip(BOARD.findall(played), BOARD.split(played)[1:], strict=True)
    ]
    return [*shown[:-1], (*_seeds(end), None, _sign(end))] if over else shown


def _seeds(text: str) -> tuple[list[int], list[int], list[int]]:
    seeds = [int(each) for each in re.findall(r"(?<=:)\s*\d+|(?<= )\d+(?= -)|(?<=- )\s*\d+", text)]
    return seeds[:6][::-1], seeds[8:14], seeds[6:8]


def _sign(end: str) -> int:
    winner = re.search(r"player at (top|bottom) wins", end.splitlines()[0])
    return 0 if winner is None else 1 if winner[1] == "top" else -1
