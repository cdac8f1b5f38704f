"""What a team reads of its program."""

import msgspec

from mancala.scripts.course.blocks import as_markdown
from mancala.scripts.course.exercises import ExerciseResult
from mancala.scripts.course.feedback import feedback
from mancala.scripts.course.games import GameEvidence, RunEvidence, RunFailure
from mancala.scripts.course.grading import GradedTeam, MarkEvidence
from mancala.scripts.course.marks import TeamMark, overridden
from mancala.scripts.course.measured import Measured
from mancala.scripts.course.mistakes import AnswerMistake
from mancala.scripts.course.settings import Override
from tests.scripts.course.test_mistakes import answers_with

REFUSED = GradedTeam(
    mark=TeamMark(id="ada", why="the build failed: no such header"),
    refused="the build failed: no such header",
)
MARKED = TeamMark(
    id="ada",
    bot="adas",
    version="v1",
    loss=1.0,
    loss_low=0.5,
    loss_high=2.0,
    total=61.5,
    passed=True,
    evidence="grades/v1.json",
)
RATING = {
    "positions": 60,
    "best_share": 0.5,
    "phases": {"early": {"loss": 2.0}, "late": {"loss": 0.25}},
    "time": {"worst_ms": 250.0},
}
MEASURED = Measured(
    passed=7, failed=0, loss=1.0, loss_low=0.5, loss_high=2.0, elo=None, elo_error=None
)
FOUND = MarkEvidence(measured=MEASURED, rating=RATING)


def _text(team: GradedTeam) -> str:
    return as_markdown(feedback(team))


def test_a_team_without_a_good_version_reads_the_reason() -> None:
    """Nothing else is there to read."""
    text = _text(REFUSED)
    assert text.startswith("# ada: 0.0 of 100 points\n")
    assert "Nothing is marked." in text
    assert "the build failed: no such header" in text


def test_what_was_repeated_is_said() -> None:
    """A busy machine costs nothing, but a slow program should know."""
    found = MarkEvidence(measured=msgspec.structs.replace(MEASURED, repeated=2), rating=RATING)
    text = _text(GradedTeam(mark=MARKED, found=found))
    assert "2 answers or games came too late, or took all of the time, and were asked" in text


def test_nothing_is_deducted_from_points_set_by_hand() -> None:
    """A late team read that its own lecturer's 70 points were 10 less."""
    late = msgspec.structs.replace(MARKED, late_days=1, deducted=10.0)
    mark = overridden(late, Override(points=70, comment="shown in person"))
    assert (mark.total, mark.deducted) == (70, 0)
    text = _text(GradedTeam(mark=mark, found=FOUND))
    assert "It came 1 day late.\n" in text
    assert "It came 1 day late: 10 points less.\n" in _text(GradedTeam(mark=late, found=FOUND))


def test_a_broken_newest_version_stands_beside_the_marked_one() -> None:
    """The team sees both: what counts, and what to mend."""
    text = _text(GradedTeam(mark=MARKED, refused="check-bot, hello: got none", found=FOUND))
    assert "Version v1 of adas is marked.\n" in text
    assert "check-bot, hello: got none" in text
    assert "1.00 seeds a move in 60 proven positions (95 %: 0.50 to 2.00)" in text
    assert "early 2.00, late 0.25" in text


def test_a_first_version_that_is_broken_has_its_reason_alone() -> None:
    """It was called the newest version, where no other had come."""
    mark = TeamMark(id="ada", why="there is no bot.toml")
    text = _text(GradedTeam(mark=mark, refused=mark.why))
    assert "there is no bot.toml" in text
    assert "newest" not in text


def test_what_a_program_wrote_cannot_leave_its_block() -> None:
    """Neither a fence nor a terminal's escape of stderr does anything."""
    failure = RunFailure(
        ending="memory",
        why="it needed more memory than its 512 MiB",
        times=3,
        stderr="\x1b[31mred\n````\n# 100 of 100 points\n",
    )
    runs = RunEvidence(runs=9, memory_mb=500, failures=(failure,))
    found = MarkEvidence(measured=MEASURED, rating=RATING, runs=runs)
    text = _text(GradedTeam(mark=MARKED, found=found))
    assert "ended 3 times before its time: it needed more memory than its 512 MiB." in text
    assert "\x1b" not in text
    assert text.count("````") == 2


def test_the_costliest_mistakes_and_each_exercise_are_named() -> None:
    """The mistakes come by the seeds that they lost, the exercises with what is missing."""
    wrong = [(AnswerMistake.REPLY, 2), (AnswerMistake.REPLY, 3), (AnswerMistake.RETURN, 1)]
    found = MarkEvidence(measured=MEASURED, rating=RATING, answers=answers_with(wrong))
    results = (ExerciseResult("Legal", ""), ExerciseResult("Level 3", "holds level 1.0 at most"))
    text = _text(GradedTeam(mark=MARKED, found=found, exercises=results))
    first = text.index("2 of 3 times it let the reply capture: 5 seeds in all")
    assert first < text.index("1 of 3 times it passed over a re-turn: 1 seed in all")
    assert "## Exercises: 1 of 2" in text
    assert "- Level 3: holds level 1.0 at most" in text


def test_each_game_is_told_apart() -> None:
    """A forfeited game has its reason, and what the program wrote, if it is not above already."""
    game = GameEvidence(
        level=3,
        seat=1,
        result="lost",
        reason="disconnected",
        forfeited=True,
        detail="it ended with exit code 1",
        moves=4,
        time_ms=1250.0,
        slowest_ms=900.0,
        stderr="IndexError: list index out of range",
    )
    found = MarkEvidence(measured=MEASURED, rating=RATING, games=(game,))
    text = _text(GradedTeam(mark=MARKED, found=found))
    assert "| 1 | 3 | 1 | lost | disconnected | 4 | 1.25 | 900 |" in text
    assert "Game 1, forfeited: it ended with exit code 1." in text
    assert "IndexError" in text
    why, wrote = "it ended with exit code 1", f"Traceback\n{game.stderr}\n"
    failure = RunFailure(ending="crashed", why=why, times=1, stderr=wrote)
    runs = RunEvidence(runs=1, failures=(failure,))
    forfeited = RATING | {"first_forfeit": game.detail}
    other = msgspec.structs.replace(game, stderr="range")
    found = MarkEvidence(measured=MEASURED, rating=forfeited, runs=runs, games=(game, other))
    text = _text(GradedTeam(mark=MARKED, found=found))
    assert text.count("IndexError") == 1
    assert "\nrange\n" in text, "a part of a line of another run is not its own"
    assert "The first game that it forfeited" not in text


def test_progress_is_shown_from_the_second_version_on() -> None:
    """Each version has its own line, the oldest first."""
    versions = tuple(
        TeamMark(id="ada", version=name, total=total, handed_in=day)
        for name, total, day in (("v1", 20.0, "2027-01-01"), ("v2", 55.5, "2027-01-08"))
    )
    text = _text(GradedTeam(mark=MARKED, found=FOUND, history=versions))
    assert text.index("| 2027-01-01 | v1 | 20.0 |") < text.index("| 2027-01-08 | v2 | 55.5 |")
    assert "Versions" not in _text(GradedTeam(mark=MARKED, found=FOUND, history=versions[:1]))
