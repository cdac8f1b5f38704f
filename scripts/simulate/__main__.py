"""``python -m scripts.simulate``: run seeds; print what was seen, and what was broken."""

from __future__ import annotations

import secrets
import time
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from scripts.simulate.campaign import Outcome, Summary, make_template, simulate, temporary
from scripts.simulate.world import Plan


def main(
    *,
    seed: Annotated[int | None, typer.Option(help="The first seed; by default a new one.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds to run.")] = 1,
    seconds: Annotated[
        float | None, typer.Option(help="Run as many seeds as fit into this time.")
    ] = None,
    until_broken: Annotated[
        bool, typer.Option("--until-broken", help="Stop at the first broken promise.")
    ] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Print each run as a log.")] = False,
) -> None:
    """Run the server in simulated worlds, one for each seed."""
    first = secrets.randbelow(1 << 32) if seed is None else seed
    typer.echo(f"first seed {first}")
    began, summary = time.monotonic(), Summary()
    with temporary() as folder:
        template = make_template(Path(folder))
        for number in count(first):
            outcome = simulate(Plan.of(number), template, trace=trace)
            summary.add(outcome)
            _report(outcome)
            spent_s = time.monotonic() - began
            is_done = number - first + 1 >= seeds if seconds is None else spent_s > seconds
            if is_done or (until_broken and summary.broken):
                break
    _conclude(summary, time.monotonic() - began)
    raise typer.Exit(int(summary.has_failed))


def _report(outcome: Outcome) -> None:
    for line in outcome.story.lines:
        typer.echo(line)
    if outcome.fault is not None:
        typer.echo(
            f"seed {outcome.seed}: {type(outcome.fault).__name__}: {outcome.fault}\n"
            f"repeat it with: python -m scripts.simulate --seed {outcome.seed} --trace"
        )


def _conclude(summary: Summary, spent_s: float) -> None:
    for event, number in sorted(summary.counts.items()):
        typer.echo(f"{number:8d}  {event}")
    if summary.never:
        typer.echo(f"never seen: {'; '.join(summary.never)}")
    typer.echo(
        f"{summary.seeds} seeds, {summary.seconds:,.0f} virtual seconds in {spent_s:.1f} s, "
        f"{summary.faults} faults, {len(summary.broken)} broken"
    )


if __name__ == "__main__":
    typer.run(main)
