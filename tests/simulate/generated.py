"""``python -m tests.simulate.generated``: random changes of the server, and how many are found.

The faults of ``mutants.toml`` were picked by hand, each for a promise. These are drawn from all
changes that Cosmic Ray's operators make (:mod:`tests.mutation.cosmic`) in the rooms that simulated
worlds run. A fork of this process runs the worlds with one change in place of a function's code. A
change that no world executes can't be found, so those are counted by themselves.
"""

import signal
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final

import typer

from tests.mutation.forks import forked
from tests.mutation.trial import ModuleChange, change, codes_of
from tests.simulate.campaign import make_template, simulate, temporary
from tests.simulate.plan import FaultPlan
from tests.sources import ROOT

ROOMS: Final = (
    *("server/ladders", "server/lobby", "server/match", "server/publish/publisher.py"),
    *("server/publish/tries.py", "server/reviews", "server/store/entries.py"),
    *("server/store/store.py", "server/store/database/writer.py"),
    *("server/model/leases.py", "server/model/match.py"),
)
IMPORTED: Final = ROOT / "mancala"
"""Modules are loaded by this folder's links."""
LONGEST_CPU_S: Final = 60.0
"""A change with which the worlds take longer does not end, and is found by that."""
LONGEST_S: Final = 3600.0
HEADING: Final = "| room | changes | run by a world | found | of those run |\n" + "| --- " * 5 + "|"


def is_found(drawn: ModuleChange, plans: Sequence[FaultPlan], template: Path) -> bool:
    """Return whether any world breaks a promise, or does not end, with a change."""
    codes = codes_of(str(IMPORTED / drawn.module), drawn.mutant.text)
    if codes is None:
        return False

    def all_kept() -> bool:
        signal.setitimer(signal.ITIMER_PROF, LONGEST_CPU_S)
        change(*codes)
        return all(simulate(plan, template).fault is None for plan in plans)

    return not forked(all_kept, LONGEST_S)


def lines_run(modules: set[str], plans: Sequence[FaultPlan], template: Path) -> dict[str, set[int]]:
    """Return the lines of modules that the worlds execute, unchanged."""
    lines = {module: set[int]() for module in modules}
    by_path = {str(IMPORTED / module): found for module, found in lines.items()}

    def local(frame: FrameType, _event: str, _argument: object) -> Any:  # noqa: ANN401  # a trace function
        by_path[frame.f_code.co_filename].add(frame.f_lineno)
        return local

    def trace(frame: FrameType, event: str, argument: object) -> Any:  # noqa: ANN401  # a trace function
        return local(frame, event, argument) if frame.f_code.co_filename in by_path else None

    sys.settrace(trace)
    try:
        for plan in plans:
            simulate(plan, template)
    finally:
        sys.settrace(None)
    return lines


def main(
    rooms: Annotated[list[str] | None, typer.Argument(help="Folders of the server.")] = None,
    *,
    changes: Annotated[int, typer.Option(min=1, help="How many changes to try.")] = 300,
    seeds: Annotated[int, typer.Option(min=1, help="How many worlds each may take.")] = 25,
    seed: Annotated[int, typer.Option(help="Seed of the changes.")] = 1,
) -> None:
    """Change the server at random places, and count what simulated worlds find."""
    from tests.mutation.drawn import draw

    drawn = draw(seed, rooms or ROOMS, changes)
    plans = [FaultPlan.of(number) for number in range(1, seeds + 1)]
    tried: Counter[str] = Counter()
    run: Counter[str] = Counter()
    found: Counter[str] = Counter()
    with temporary() as folder:
        template = make_template(Path(folder))
        lines = lines_run({each.module for each in drawn}, plans, template)
        for each in drawn:
            room = each.room
            tried[room] += 1
            if not each.is_in(lines):
                continue
            run[room] += 1
            if is_found(each, plans, template):
                found[room] += 1
            else:
                typer.echo(f"not found: {each.module}: {each.mutant.change}")
    typer.echo("\n".join([HEADING, *_rows(tried, run, found)]))


def _rows(tried: Counter[str], run: Counter[str], found: Counter[str]) -> list[str]:
    rooms = [*sorted(tried), "all"]
    for counts in (tried, run, found):
        counts["all"] = counts.total()
    return [
        f"| {room} | {tried[room]} | {run[room]} | {found[room]} "
        f"| {found[room] / max(1, run[room]):.0%} |"
        for room in rooms
    ]


if __name__ == "__main__":
    typer.run(main)
