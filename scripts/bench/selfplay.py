"""Count the plies a second of the self-play environment on one core; print a line of JSON.

``python -m mancala.scripts.bench.selfplay`` steps many games of Kalah(6,4) from the fair openings
and sows the first legal pit of each, so that the environment is measured and no policy. Seconds
are processor time, so other work on the machine hardly counts.
"""

from __future__ import annotations

import time
from typing import Annotated

import typer
from gymnasium.vector import AutoresetMode

from mancala.bot.env import MancalaSelfPlayEnv

from ..console import output as console


def main(
    *,
    games: Annotated[int, typer.Option(min=1, help="Games at the same time.")] = 4096,
    steps: Annotated[int, typer.Option(min=1, help="Steps that are timed.")] = 2000,
    exact_seeds: Annotated[
        int, typer.Option(min=0, help="Seeds up to which exact values are looked up.")
    ] = 0,
) -> None:
    """Step games, and print how fast."""
    env = MancalaSelfPlayEnv(
        games, openings="fair", autoreset=AutoresetMode.SAME_STEP, exact_seeds=exact_seeds
    )
    _, info = env.reset(seed=1)
    info = env.step(info["action_mask"].argmax(axis=1))[-1]
    began, stepping_s, ended, valued = time.process_time(), 0.0, 0, 0
    for _ in range(steps):
        pits = info["action_mask"].argmax(axis=1)
        before = time.process_time()
        *_, over, _, info = env.step(pits)
        stepping_s += time.process_time() - before
        ended += int(over.sum())
        valued += int(info["_values"].sum()) if exact_seeds else 0
    plies = games * steps
    figures = {
        "plies": plies,
        "games": ended,
        "positions_looked_up": valued,
        "plies_a_second": round(plies / stepping_s),
        "plies_a_second_with_choice": round(plies / (time.process_time() - began)),
    }
    console.emit(figures)


if __name__ == "__main__":
    typer.run(main)
