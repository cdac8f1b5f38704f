"""What a program's processes used while it was measured, and why those that failed ended."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import msgspec

from ..sandbox.limits import SandboxLimits
from ..sandbox.outcome import RunEnding, RunOutcome


class RunFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Processes that ended for one cause.

    Attributes:
        ending: the cause, a word: ``crashed``, ``memory``, ``cpu``, ``output``, ``disk``, …
        why: the same as a sentence.
        times: how many.
        stderr: the first and the last lines that the last of them wrote there.
    """

    ending: str
    why: str
    times: int
    stderr: str = ""


class RunEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a program's processes used.

    Attributes:
        runs: how many ended by themselves or by a limit, or were stopped in order.
        memory_mb: the most memory that one held.
        cpu_s: processor time of all, in seconds.
        failures: those that failed, by cause.
    """

    runs: int = 0
    memory_mb: float = 0.0
    cpu_s: float = 0.0
    failures: tuple[RunFailure, ...] = ()


def run_evidence(file: Path, limits: SandboxLimits) -> RunEvidence:
    """Return what the outcomes of a file come to.

    Args:
        file: has a `RunOutcome` a line; it may be missing.
        limits: what the program was allowed.

    Raises:
        OSError: when the file cannot be read.
    """
    lines = file.read_bytes().splitlines() if file.exists() else []
    outcomes = [msgspec.json.decode(line, type=RunOutcome) for line in lines]
    return RunEvidence(
        runs=len(outcomes),
        memory_mb=max((each.memory_mb for each in outcomes), default=0.0),
        cpu_s=round(sum(each.cpu_s for each in outcomes), 3),
        failures=_failures(outcomes, limits),
    )


def _failures(outcomes: list[RunOutcome], limits: SandboxLimits) -> tuple[RunFailure, ...]:
    alike: dict[str, list[RunOutcome]] = defaultdict(list)
    for each in outcomes:
        if not each.is_good and each.ending is not RunEnding.STOPPED:
            alike[each.sentence(limits)].append(each)
    return tuple(
        RunFailure(
            ending=alike[why][-1].ending,
            why=why,
            times=len(alike[why]),
            stderr=alike[why][-1].stderr,
        )
        for why in sorted(alike)
    )
