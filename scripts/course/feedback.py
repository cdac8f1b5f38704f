"""What a team reads of its program: whether it is sound, what it loses, and why; pure.

The positions themselves are not shown, since the next program would know them by heart.
"""

from __future__ import annotations

from typing import Any, Final

from mancala.scripts.course.marks import TeamMark
from mancala.scripts.course.run_evidence import RunEvidence, RunFailure

FENCE: Final = "````"


def feedback(mark: TeamMark, refused: str, rating: dict[str, Any], runs: RunEvidence) -> str:
    """Return a team's feedback as Markdown.

    Args:
        mark: its mark.
        refused: why its newest version is refused; empty if it is not.
        rating: all figures of the version that was marked; empty if none was.
        runs: what became of that version's processes.
    """
    parts = [f"# {mark.id}: {mark.total:.1f} of 100 points", *_verdict(mark, refused)]
    if rating:
        parts += [*_strength(mark, rating), *_faults(mark, rating, runs)]
    return "\n\n".join(parts) + "\n"


def _verdict(mark: TeamMark, refused: str) -> list[str]:
    marked = f"Version {mark.version} of {mark.bot} is marked." if mark.evidence else ""
    if mark.passed:
        said = "It passes."
    else:
        said = f"It does not pass: {_plain(mark.why)}." if mark.evidence else "Nothing is marked."
    days = "1 day" if mark.late_days == 1 else f"{mark.late_days} days"
    late = f"It came {days} late: {mark.deducted:g} points less."
    lines = [f"{marked} {said} {late * bool(mark.late_days)}".strip()]
    if refused:
        lines += ["The newest version is refused:", _quoted(refused)]
    elif not mark.evidence:
        lines.append(_quoted(mark.why))
    return lines


def _strength(mark: TeamMark, rating: dict[str, Any]) -> list[str]:
    phases = ", ".join(f"{name} {found['loss']:.2f}" for name, found in rating["phases"].items())
    lines = [
        "## Strength",
        (
            f"It loses {mark.loss:.2f} seeds a move in {rating['positions']} proven positions"
            f" (95 %: {mark.loss_low:.2f} to {mark.loss_high:.2f}) and plays a best move in"
            f" {rating['best_share']:.0%} of them. By phase of the game: {phases}."
        ),
    ]
    if mark.level is not None:
        lines.append(
            f"Its place among the levels is {mark.level:.1f} (95 %: {mark.level_low:.1f} to"
            f" {mark.level_high:.1f}), by {rating['games']} games:"
        )
        lines.append("\n".join(map(_level, rating["levels"])))
    return lines


def _level(found: dict[str, Any]) -> str:
    won, drawn, lost = found["wins"], found["draws"], found["losses"]
    return f"- level {found['level']}: {won} won, {drawn} drawn, {lost} lost"


def _faults(mark: TeamMark, rating: dict[str, Any], runs: RunEvidence) -> list[str]:
    time = rating["time"]
    lines = [
        "## Reliability",
        (
            f"Forfeited answers and games: {mark.faults or 'none'}. The slowest move took"
            f" {(time['worst_ms'] or 0) / 1000:.2f} s; the most memory held was"
            f" {runs.memory_mb:.0f} MiB."
        ),
    ]
    if rating.get("first_forfeit"):
        lines += ["The first game that it forfeited:", _quoted(rating["first_forfeit"])]
    return lines + [part for failure in runs.failures for part in _failure(failure)]


def _failure(failure: RunFailure) -> list[str]:
    times = "once" if failure.times == 1 else f"{failure.times} times"
    lines = [f"Its process ended {times} before its time: {failure.why}."]
    if failure.stderr.strip():
        lines += ["The end of what it wrote to stderr:", _quoted(failure.stderr)]
    return lines


def _quoted(text: str) -> str:
    """Return text of a program as a block that it cannot leave; control characters are removed."""
    kept = "".join(each for each in text if each.isprintable() or each in "\n\t")
    return f"{FENCE}text\n{kept.strip().replace(FENCE, '')}\n{FENCE}"


def _plain(text: str) -> str:
    return " ".join(text.split())
