"""Whether a match and an event of the same games have the same Elo, clean sweeps above all.

``mancala match`` keeps its games; ``mancala tournament --resume`` of its folder plays none and
states the joint fit of the same games.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from ...console import output as console
from .public import mancala

MATCHES = (
    ("alphabeta:depth=4", "random", 6),
    ("alphabeta:depth=4", "random", 20),
    ("greedy", "minimax:depth=2", 40),
)


def clean_sweeps(
    seed: Annotated[int, typer.Option(help="Which games.")] = 1,
) -> None:
    """Play matches, some of them one-sided, and resume each as a tournament."""
    console.emit({"matches": [both(*match, seed) for match in MATCHES], "seed": seed})


def both(first: str, second: str, games: int, seed: int) -> dict[str, Any]:
    """Return the Elo of a match and of an event of the same games."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "match"
        options = ("--games", str(games), "--seed", str(seed), "--concurrency", "1")
        match = mancala("match", first, second, "--dir", str(home), *options)
        event = mancala("tournament", "--resume", str(home), "--concurrency", "1")
    elo = {row["name"]: row["elo"] for row in event["standings"]}
    return {
        "players": [first, second],
        "games": games,
        "score": match["score"],
        "match": round(match["elo"], 2),
        "match_error": round(match["elo_error"], 2),
        "tournament": round(elo[first] - elo[second], 2),
        "tournament_error": round(2 * event["standings"][0]["elo_error"], 2),
    }
