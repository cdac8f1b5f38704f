"""What a team reads of its program: whether it is sound, what it loses, and why; pure.

The positions themselves are not shown, since the next program would know them by heart.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mancala.protocol.text import quantity

from .blocks import Block, Heading, Items, Paragraph, Quote, TableBlock, one_line
from .exercises import ExerciseResult
from .games import GameEvidence, RunFailure
from .grading import GradedTeam, MarkEvidence
from .marks import TeamMark
from .mistakes import JudgedAnswer, most_costly

NOT_PUBLISHED: Final = "Marks are not published yet."


def feedback(team: GradedTeam, *, may_fail: bool = False) -> Iterator[Block]:
    """Yield a team's feedback.

    Args:
        team: the team, graded.
        may_fail: whether something must be reached to pass.
    """
    mark, found = team.mark, team.found
    points = mark.points if mark.unjudged else f"{mark.points} of 100 points"
    yield Heading(f"{mark.id}: {points}", level=1)
    yield from _verdict(mark, team.refused, may_fail=may_fail)
    if found is not None:
        yield from _strength(mark, found.rating)
        yield from _mistakes(found.answers)
        yield from _exercises(team.exercises)
        yield from _faults(mark, found)
        yield from _games(found.games, found.runs.failures)
    yield from _progress(team.history)


def receipt(team: GradedTeam) -> Iterator[Block]:
    """Yield what a team reads while marks are not published: what became of its hand-ins."""
    mark = team.mark
    yield Heading(mark.id, level=1)
    good = f"Version {mark.version} of {mark.bot} was built and passed check-bot. It counts."
    yield Paragraph(f"{good if mark.evidence else ''} {NOT_PUBLISHED}".strip())
    yield from _refusal(mark, team.refused)


def _refusal(mark: TeamMark, refused: str) -> Iterator[Block]:
    if refused and mark.evidence:
        yield Paragraph("The newest version does not count:")
    if refused or not mark.evidence:
        yield Quote(refused or mark.why)


def _verdict(mark: TeamMark, refused: str, *, may_fail: bool) -> Iterator[Block]:
    marked = f"Version {mark.version} of {mark.bot} is marked." if mark.evidence else ""
    if mark.passed:
        said = "It passes." * may_fail
    else:
        said = f"It does not pass: {one_line(mark.why)}." if mark.evidence else "Nothing is marked."
    days = quantity(mark.late_days, "day")
    late = f"It came {days} late{'' if mark.comment else f': {mark.deducted:g} points less'}."
    yield Paragraph(" ".join(filter(None, (marked, said, late * bool(mark.late_days)))))
    if mark.comment:
        yield Paragraph(f"Your lecturer set the points: {one_line(mark.comment)}")
    elif mark.evidence:
        ends = f"{mark.total_low:.1f} and {mark.total_high:.1f}"
        yield Paragraph(f"Its points lie between {ends} with 95 % certainty.")
    yield from _refusal(mark, refused)


def _strength(mark: TeamMark, rating: dict[str, Any]) -> Iterator[Block]:
    phases = ", ".join(f"{name} {found['loss']:.2f}" for name, found in rating["phases"].items())
    yield Heading("Strength")
    yield Paragraph(
        f"It loses {mark.loss:.2f} seeds a move in"
        f" {quantity(rating['positions'], 'proven position')} (95 %: {mark.loss_low:.2f} to"
        f" {mark.loss_high:.2f}) and plays a best move in {rating['best_share']:.0%} of them."
        f" By phase of the game: {phases}."
    )
    if mark.level is not None:
        yield Paragraph(
            f"Its place among the levels is {mark.level:.1f} (95 %: {mark.level_low:.1f} to"
            f" {mark.level_high:.1f}), by {quantity(rating['games'], 'game')}:"
        )
        yield Items(list(map(_level, rating["levels"])))


def _level(found: dict[str, Any]) -> str:
    won, drawn, lost = found["wins"], found["draws"], found["losses"]
    return f"level {found['level']}: {won} won, {drawn} drawn, {lost} lost"


def _mistakes(answers: Sequence[JudgedAnswer]) -> Iterator[Block]:
    if found := most_costly(answers):
        yield Heading("What costs most")
        yield Items(
            [
                f"{each.times} of {quantity(len(answers), 'time')} it {each.mistake}:"
                f" {quantity(each.seeds, 'seed')} in all"
                for each in found
            ]
        )


def _exercises(results: Sequence[ExerciseResult]) -> Iterator[Block]:
    if results:
        done = sum(each.passed for each in results)
        yield Heading(f"Exercises: {done} of {len(results)}")
        yield Items([f"{each.name}: {each.why or 'passed'}" for each in results])


def _faults(mark: TeamMark, found: MarkEvidence) -> Iterator[Block]:
    worst_ms = found.rating["time"]["worst_ms"] or 0
    yield Heading("Reliability")
    yield Paragraph(
        f"Forfeited answers and games: {mark.faults or 'none'}. The slowest move took"
        f" {worst_ms / 1000:.2f} s; the most memory held was {found.runs.memory_mb:.0f} MiB."
    )
    if repeated := found.measured.repeated:
        yield Paragraph(
            f"{quantity(repeated, 'answer or game', 'answers or games')} came too late, or"
            " took all of the time, and were asked for again, since the machine may have been busy."
        )
    if found.rating.get("first_forfeit") and not found.games:
        yield Paragraph("The first game that it forfeited:")
        yield Quote(found.rating["first_forfeit"])
    for failure in found.runs.failures:
        yield from _failure(failure)


def _failure(failure: RunFailure) -> Iterator[Block]:
    times = "once" if failure.times == 1 else quantity(failure.times, "time")
    yield Paragraph(f"Its process ended {times} before its time: {failure.why}.")
    if failure.stderr.strip():
        yield Paragraph("The first and the last lines that it wrote to stderr:")
        yield Quote(failure.stderr)


def _games(games: Sequence[GameEvidence], failures: Sequence[RunFailure]) -> Iterator[Block]:
    """Yield all games as a table, and what a program wrote that is not among its failures."""
    if not games:
        return
    yield Heading("Games")
    head = ("game", "level", "seat", "result", "end", "moves", "time, s", "slowest, ms")
    yield TableBlock(head, [_game(number, game) for number, game in enumerate(games, start=1)])
    for number, game in enumerate(games, start=1):
        if game.forfeited:
            yield Paragraph(f"Game {number}, forfeited: {one_line(game.detail) or game.reason}.")
            text = game.stderr.strip("\n")
            if text.strip() and not any(f"\n{text}\n" in f"\n{each.stderr}\n" for each in failures):
                yield Quote(game.stderr)


def _game(number: int, game: GameEvidence) -> tuple[object, ...]:
    return (
        *(number, game.level, game.seat, game.result, game.reason, game.moves),
        *(f"{game.time_ms / 1000:.2f}", f"{game.slowest_ms:.0f}"),
    )


def _progress(history: Sequence[TeamMark]) -> Iterator[Block]:
    if len(history) > 1:
        yield Heading("Versions")
        head = ("handed in", "version", "points", "loss", "level")
        rows = [
            (each.handed_in, each.version, f"{each.total:.1f}", each.loss, each.level)
            for each in history
        ]
        yield TableBlock(head, rows)
