"""Writes the table of baselines of the hard positions into the page of language models.

``python -m docs.yardstick`` reads what choices without thought come to from the cards of the
positions, and asks the engine's levels in each position `TIMES` times: some minutes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mancala import gauntlet, headless
from mancala.bot.yardstick.positions import CARD, DATA
from mancala.server.contest.rate.gauntlet import GauntletLimits

from . import tables

PAGE: Final = Path(__file__).with_name("language-models.md")
HEADING: Final = "| | best pit | share of what can be lost |"
TIMES: Final = 4
CHOICES: Final = {
    "any legal pit": "random",
    "the pit nearest to the store": "nearest",
    "the pit that puts most seeds into the store": "one-ply greed",
    "the biggest capture": "captures",
    "the longest turn": "greedy",
    "alpha-beta, four turns": "alphabeta:depth=4",
}
"""The choices without thought, and their names in the cards."""
PLAYERS: Final = (
    *(gauntlet.level_contender(level).spec for level in range(1, 11)),
    "engine:nodes=200000",
)


def choices() -> Iterator[tuple[str, float, float]]:
    """Yield each choice without thought, how often it is best, and its share of the loss."""
    cards = [json.loads(path.read_bytes()) for path in DATA.glob(f"test/*/{CARD}")]
    every = sum(card["positions"] for card in cards)
    for words, name in CHOICES.items():
        best, loss = (
            sum(card["positions"] * card["baselines"][name][key] for card in cards) / every
            for key in ("best", "loss")
        )
        yield words, best, loss


def rated(spec: str, times: int = TIMES) -> dict[str, Any]:
    """Return what a player comes to, as ``mancala rate --hard`` prints it."""
    (contender,) = headless.contenders_of([spec])
    conditions = headless.conditions_of(movetime=10.0)
    *_, rating = gauntlet.rate(contender, conditions, hard=times, limits=GauntletLimits(pairs=0))
    found = rating.to_dict()
    if found["faults"]:
        raise SystemExit(f"{spec}: {found['faults']}")
    return found


def row(words: str, best: float, loss: float) -> str:
    """Return a row of the table."""
    return f"| {words} | {best:.1%} | {loss:.1%} |".replace("%", " %")


if __name__ == "__main__":
    rows = [row(*each) for each in choices()]
    for spec in PLAYERS:
        found = rated(spec)
        rows.append(row(f"`{spec}`", found["best_share"], found["loss_share"]))
        sys.stderr.write(f"{rows[-1]} repeat error of {TIMES}: {found['repeat_error']:.2%}\n")
    tables.write(PAGE, "\n".join((HEADING, "| --- | --- | --- |", *rows)))
