"""Grades as Canvas and Moodle import them."""

from xml.etree import ElementTree as ET

import pytest

from mancala.scripts.course.marks import TeamMark
from mancala.scripts.course.platforms import (
    RosterError,
    canvas_table,
    moodle_table,
    moodle_xml,
    odd_teams,
    read_roster,
)

MARKS = [
    TeamMark(id="ada", total=61.5, passed=True),
    TeamMark(id="bob.zip", total=0.0, why="the build failed:\nno such header"),
    TeamMark(id="cyd", unjudged=True),
]
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Essay (7),team
    Points Possible,,,,,10,
"Lovelace, Ada",11,s1,ada@x.edu,Kalah 1,9,ada
"Babbage, Charles",12,s2,cb@x.edu,Kalah 1,8, ada
"Bob, B",13,s3,bob@x.edu,Kalah 2,7,bob
"Cyd, C",15,s5,cyd@x.edu,Kalah 2,7,cyd
"Student, Test",14,,,Kalah 1,,
"""
MOODLE = "First name;Last name;ID number;Email address;team\r\nAda;Lovelace;s1;ada@x.edu;ada\r\n"


def test_canvas_gets_its_own_columns_and_one_assignment() -> None:
    """All students of a team get its mark; one in no team, or in one not judged, is left out."""
    table = canvas_table(read_roster(CANVAS), MARKS, "Kalah (123)")
    assert table.splitlines() == [
        "Student,ID,SIS User ID,SIS Login ID,Section,Kalah (123)",
        "Points Possible,,,,,100",
        '"Lovelace, Ada",11,s1,ada@x.edu,Kalah 1,61.5',
        '"Babbage, Charles",12,s2,cb@x.edu,Kalah 1,61.5',
        '"Bob, B",13,s3,bob@x.edu,Kalah 2,0.0',
    ]


def test_moodle_gets_the_grade_and_its_feedback() -> None:
    """A spreadsheet's semicolons and line ends are read; the lecturer's comment goes first."""
    roster = read_roster(f"{MOODLE}Bob;B;s3;bob@x.edu;bob\r\nDan;D;s4;dan@x.edu;dan\r\n")
    shown = TeamMark(id="dan", total=70, comment="shown in person", why="the build failed")
    assert moodle_table(roster, [*MARKS, shown], "Kalah").splitlines() == [
        "First name,Last name,ID number,Email address,Kalah,Kalah feedback",
        "Ada,Lovelace,s1,ada@x.edu,61.5,",
        "Bob,B,s3,bob@x.edu,0.0,the build failed: no such header",
        "Dan,D,s4,dan@x.edu,70,shown in person",
    ]


def test_moodle_reads_xml_that_maps_nothing() -> None:
    """It has no line for a student without a number, and what a program wrote leaves it whole."""
    marks = [TeamMark(id="ada", total=61.5, why="<&>\0\ud800 é")]
    roster = read_roster(MOODLE.replace("s1", "s&1") + "Bob;B;;bob@x.edu;ada\r\n")
    (result,) = ET.fromstring(moodle_xml(roster, marks, "kalah-1"))  # noqa: S314  # our own
    assert [(each.tag, each.text) for each in result] == [
        ("assignment", "kalah-1"),
        ("student", "s&1"),
        ("score", "61.5"),
        ("feedback", "<&> é"),
    ]


def test_a_roster_is_of_the_platform_that_knows_its_students() -> None:
    """Each gets the file that it can import."""
    assert (read_roster(CANVAS).is_of_canvas, read_roster(CANVAS).is_of_moodle) == (True, False)
    assert (read_roster(MOODLE).is_of_canvas, read_roster(MOODLE).is_of_moodle) == (False, True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Student,ID\nA,1\n", "it has no column 'team', but 'Student', 'ID'"),
        ("name,team\nA,ada\n", "by which Canvas knows a student, nor ID number or Email address"),
        ("", "it has no column 'team'"),
    ],
)
def test_what_is_no_roster_is_refused(text: str, reason: str) -> None:
    """One sentence says what is missing."""
    with pytest.raises(RosterError, match=reason):
        read_roster(text)


def test_teams_that_do_not_fit_are_said() -> None:
    """A misspelt team would have no grade."""
    assert list(odd_teams(read_roster(MOODLE), ["adaa", "bob.ZIP"])) == [
        "it names a team ada, which is none",
        "it names no student of the team adaa",
        "it names no student of the team bob",
    ]
