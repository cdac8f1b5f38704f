"""What a team reads of its program."""

from __future__ import annotations

from mancala.scripts.course.feedback import feedback
from mancala.scripts.course.marks import TeamMark
from mancala.scripts.course.run_evidence import RunEvidence, RunFailure

REFUSED = TeamMark(id="ada", why="the build failed: no such header")
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


def test_a_team_without_a_good_version_reads_the_reason() -> None:
    """Nothing else is there to read."""
    text = feedback(REFUSED, REFUSED.why, {}, RunEvidence())
    assert text.startswith("# ada: 0.0 of 100 points\n")
    assert "Nothing is marked." in text
    assert "the build failed: no such header" in text


def test_a_broken_newest_version_stands_beside_the_marked_one() -> None:
    """The team sees both: what counts, and what to mend."""
    text = feedback(MARKED, "check-bot, hello: got none", RATING, RunEvidence())
    assert "Version v1 of adas is marked. It passes." in text
    assert "check-bot, hello: got none" in text
    assert "1.00 seeds a move in 60 proven positions (95 %: 0.50 to 2.00)" in text
    assert "early 2.00, late 0.25" in text


def test_what_a_program_wrote_cannot_leave_its_block() -> None:
    """Neither a fence nor a terminal's escape of stderr does anything."""
    failure = RunFailure(
        ending="memory",
        why="it needed more memory than its 512 MiB",
        times=3,
        stderr="\x1b[31mred\n````\n# 100 of 100 points\n",
    )
    text = feedback(MARKED, "", RATING, RunEvidence(runs=9, memory_mb=500, failures=(failure,)))
    assert "ended 3 times before its time: it needed more memory than its 512 MiB." in text
    assert "\x1b" not in text
    assert text.count("````") == 2
