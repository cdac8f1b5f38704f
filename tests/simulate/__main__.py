"""``python -m tests.simulate``: run seeds; print what was seen, and what was broken."""

import secrets
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from mancala.server.contest.events.lifecycle import EventState
from tests.simulate.campaign import (
    Summary,
    WorldOutcome,
    make_template,
    simulate,
    spread,
    temporary,
)
from tests.simulate.knobs import EVENT_KNOBS, KNOBS
from tests.simulate.plan import FaultPlan, Mode, PlanError
from tests.simulate.shrink import shrink
from tests.simulate.trace import CONSEQUENCES, NO_EVENT, RareEvent
from tests.simulate.unvaried import PROCESSES, UNVARIED

COVERAGE: Final = "--coverage"


def main(
    *,
    seed: Annotated[int | None, typer.Option(help="The first seed; by default a new one.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds to run.")] = 1,
    seconds: Annotated[
        float | None, typer.Option(help="Run as many seeds as fit into this time.")
    ] = None,
    mode: Annotated[
        Mode, typer.Option(help="The server without sockets and client, or all of the product.")
    ] = Mode.IN_PROCESS,
    plan: Annotated[
        str, typer.Option(help="Changes of each seed's plan, such as bots=2,without=drop+late.")
    ] = "",
    until_broken: Annotated[
        bool, typer.Option("--until-broken", help="Stop at the first broken promise.")
    ] = False,
    smaller: Annotated[
        bool, typer.Option("--shrink/--no-shrink", help="Look for a smaller run that fails alike.")
    ] = True,
    trace: Annotated[bool, typer.Option("--trace", help="Print each run as a log.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="How many processes run seeds.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler whose workers run them.")
    ] = None,
    inputs: Annotated[
        bool, typer.Option("--inputs", help="Print what the worlds have varied of their input.")
    ] = False,
    coverage: Annotated[
        bool, typer.Option(COVERAGE, help="Print which branches of the server were taken.")
    ] = False,
) -> None:
    """Run the server in simulated worlds, one for each seed."""
    if coverage:
        raise typer.Exit(_cover([option for option in sys.argv[1:] if option != COVERAGE]))
    first = secrets.randbelow(1 << 32) if seed is None else seed
    typer.echo(f"first seed {first}")
    try:
        FaultPlan.of(first).changed(plan)
    except PlanError as error:
        raise typer.BadParameter(str(error)) from None
    numbers = count(first) if seconds is not None else range(first, first + seeds)
    plans = (FaultPlan.of(number, mode).changed(plan) for number in numbers)
    began, summary = time.monotonic(), Summary()
    with temporary() as folder:
        template = make_template(Path(folder))
        with closing(_outcomes(plans, template, workers, cluster, trace=trace)) as outcomes:
            for outcome in outcomes:
                summary.add(outcome)
                _report(outcome, template, smaller=smaller)
                is_over = seconds is not None and time.monotonic() - began > seconds
                if is_over or (until_broken and summary.broken):
                    break
    if inputs:
        typer.echo("\n".join([*summary.inputs.report(UNVARIED), *_combinations(summary)]))
    _conclude(summary, time.monotonic() - began)
    raise typer.Exit(int(summary.has_failed))


def _combinations(summary: Summary) -> Iterator[str]:
    """Yield lines about two things that come together, and about processes that no world has."""
    drawn = [f"setting {name}" for name in (*KNOBS, *EVENT_KNOBS)]
    yield "settings, by kinds of events:"
    yield from summary.inputs.together(drawn, sorted(set(EVENT_KNOBS["event.format"])))
    yield "faults, by states of an event:"
    faults = [event for event in RareEvent if event not in CONSEQUENCES]
    yield from summary.inputs.together(faults, [NO_EVENT, *EventState])
    yield "processes that no world has:"
    yield from (f"{place}: {reason}" for place, reason in PROCESSES.items())


def _outcomes(
    plans: Iterator[FaultPlan], template: Path, workers: int, cluster: str | None, *, trace: bool
) -> Generator[WorldOutcome]:
    """Run worlds here, in processes of this machine, or on a cluster."""
    if workers == 1 and cluster is None:
        yield from (simulate(plan, template, trace=trace) for plan in plans)
        return
    from mancala.server.contest.workers.cluster import ClusterError, on_cluster
    from mancala.server.contest.workers.pool import WorkerPool

    with ExitStack() as stack:
        try:
            team = stack.enter_context(on_cluster(cluster)) if cluster is not None else None
        except ClusterError as error:
            raise typer.BadParameter(str(error)) from None
        executor = team.executor if team else stack.enter_context(WorkerPool(workers))
        size = team.size if team else workers
        yield from spread(plans, template.read_bytes(), executor, workers=size, trace=trace)


def _report(outcome: WorldOutcome, template: Path, *, smaller: bool) -> None:
    for line in outcome.lines:
        typer.echo(line)
    if outcome.fault is None:
        return
    typer.echo(f"seed {outcome.plan.seed}: {outcome.fault}")
    typer.echo(f"repeat it with: {outcome.plan.command}")
    if smaller:
        least = shrink(outcome.plan, lambda plan: simulate(plan, template).kind == outcome.kind)
        typer.echo(f"shrunk to: {least.command}")


def _conclude(summary: Summary, spent_s: float) -> None:
    for event, number in sorted(summary.counts.items()):
        typer.echo(f"{number:8d}  {event}")
    if summary.never:
        typer.echo(f"never seen: {'; '.join(summary.never)}")
    for each in summary.missing:
        typer.echo(f"missing: {each}")
    typer.echo(
        f"{summary.seeds} seeds, {summary.seconds:,.0f} virtual seconds in {spent_s:.1f} s, "
        f"{summary.faults} faults, {len(summary.broken)} broken"
    )


def _cover(arguments: list[str]) -> int:
    """Run the same under coverage.py; print the branches taken, a line a file."""
    with TemporaryDirectory() as folder:
        tool = [sys.executable, "-m", "coverage"]
        data = f"--data-file={folder}/simulated"
        measured = ["run", data, "--branch", "--source=server", "-m", "tests.simulate"]
        done = subprocess.run([*tool, *measured, *arguments], check=False)
        subprocess.run([*tool, "report", data], check=False)
    return done.returncode


if __name__ == "__main__":
    typer.run(main)
