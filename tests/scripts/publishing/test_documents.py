"""Headless events as submissions."""

from mancala.protocol.submission import SubmissionState, SubmittedGame, document_of, submission_of
from mancala.scripts.publishing.documents import (
    COURSE_POINTS,
    Course,
    event_submission,
    machine,
    match_submission,
)
from mancala.server.config.events import Format
from mancala.server.contest.headless.runs import MatchRun, TournamentRun
from mancala.server.rating.sprt import Sprt
from tests.scripts.publishing.events import all_games, journal_of
from tests.server.contest.headless.players import BEGAN, event_of

NAMES = ("ann", "bob", "cid")


def test_an_event_has_its_table_rounds_and_byes() -> None:
    """The points of a bye are those of the round; the head says when, where and by what."""
    event = event_of(Format.SWISS, NAMES, games=2)
    run = TournamentRun(event, journal_of(all_games(event)))
    found = event_submission(run, run.standings)
    assert submission_of(document_of(found)) == found
    assert (found.title, found.state) == ("Swiss tournament of 3", SubmissionState.FINISHED)
    assert [each.number for each in found.rounds] == [1, 2]
    for each in found.rounds:
        assert each.unplayed == {each.byes[0]: 2.0}
        (encounter,) = each.encounters
        assert encounter.games[0] == SubmittedGame(encounter.first, encounter.second, 0, 12)
    assert sum(line.points for line in found.standings) == found.played + 2 * 2.0
    assert (found.clock, found.began_at) == ("0.1 s a move", BEGAN)
    assert found.version.startswith("mancala-arena ")
    assert "cores" in machine()


def test_an_event_under_way_is_playing_or_was_stopped() -> None:
    """Before its first game it has a table without points."""
    run = TournamentRun(event_of(Format.SWISS, NAMES, games=2))
    assert event_submission(run, run.standings).state is SubmissionState.PLAYING
    stopped = event_submission(run, run.standings, title="a night", stopped=True)
    assert (stopped.state, stopped.title) == (SubmissionState.STOPPED, "a night")
    assert [line.points for line in stopped.standings] == [0.0, 0.0, 0.0]


def test_a_match_has_its_test() -> None:
    """With bounds, pairs, estimate and course; a match without one has none."""
    event = event_of(Format.ROUND_ROBIN, ("new", "old"))
    games = all_games(event, winner=None)
    course = Course()
    course.add(0.5)
    tested, plain = (MatchRun(event, test, journal_of(games)) for test in (Sprt(0.0, 5.0), None))
    for run in (tested, plain):
        assert len([*run.resume()]) == 2
    found = match_submission(tested, course)
    assert submission_of(document_of(found)) == found
    assert (found.title, found.format) == ("new against old", "match")
    assert (found.state, found.played, found.planned) == (SubmissionState.FINISHED, 4, 4)
    assert found.test is not None
    assert (found.test.pentanomial, found.test.course) == ((0, 0, 2, 0, 0), (0.5,))
    assert (found.test.verdict, found.test.score) == (None, 0.5)
    assert match_submission(plain, Course()).test is None
    assert match_submission(MatchRun(event, Sprt(0.0, 5.0)), Course()).test is not None


def test_a_course_keeps_few_points_evenly() -> None:
    """Twice as far apart whenever there are too many."""
    course = Course()
    for pair in range(1, 4 * COURSE_POINTS + 1):
        course.add(float(pair))
    assert len(course.values) < COURSE_POINTS
    assert course.values == [float(course.step * (n + 1)) for n in range(len(course.values))]
