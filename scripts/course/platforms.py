"""Grades as Canvas and Moodle import them; pure.

A roster has a line for each student: what the platform exports of its students, with one more
column, ``team``. So a team's mark goes to all of its students, and each line that is written names
its student as the platform does.

**Canvas** reads `Student`, `ID` and the columns of logins in its own order, then `Section`, then
assignments; one headed ``Title (123)``, or by the title of an assignment that is there, goes to
that one. A second line has the points possible. **Moodle** reads any headings, which the teacher
maps; a student is known by `ID number` or `Email address`, and feedback needs the grade beside it.
Its XML knows the student and the assignment by their ID numbers, and maps nothing.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mancala.protocol.text import CONTROL

from ..hosting.handin import bare_name
from .blocks import one_line
from .marks import TeamMark
from .tables import as_csv

ROSTER: Final = "roster.csv"
TEAM: Final = "team"
CANVAS: Final = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account")
"""What Canvas knows a student by, in the order in which it looks for the columns."""
SECTION: Final = "Section"
ID_NUMBER: Final = "ID number"
MOODLE: Final = ("First name", "Last name", ID_NUMBER, "Email address")
KNOWN_BY: Final = MOODLE[2:]
POINTS: Final = "Points Possible"
MOST: Final = 100


class RosterError(ValueError):
    """A roster that cannot be used; the message says why."""


class Roster(NamedTuple):
    columns: Sequence[str]
    students: Sequence[Mapping[str, str]]

    @property
    def is_of_canvas(self) -> bool:
        """Whether Canvas could know its students."""
        return {*CANVAS[:2]} <= {*self.columns}

    @property
    def is_of_moodle(self) -> bool:
        """Whether Moodle could know its students."""
        return not {*KNOWN_BY}.isdisjoint(self.columns)

    @property
    def teams(self) -> set[str]:
        return {student[TEAM] for student in self.students}


def read_roster(text: str) -> Roster:
    """Return a roster of CSV with commas or semicolons, or RosterError if a column is missing."""
    head = text.partition("\n")[0]
    delimiter = ";" if head.count(";") > head.count(",") else ","
    lines = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    columns = [name.strip() for name in lines.fieldnames or ()]
    if TEAM not in columns:
        raise RosterError(f"it has no column {TEAM!r}, but {', '.join(map(repr, columns))}")
    lines.fieldnames = columns
    roster = Roster(columns, [_student(line) for line in lines if line[TEAM].strip()])
    if not roster.is_of_canvas and not roster.is_of_moodle:
        raise RosterError(
            f"it has neither {' and '.join(CANVAS[:2])}, by which Canvas knows a student, nor"
            f" {' or '.join(KNOWN_BY)}, by which Moodle does"
        )
    return roster


def odd_teams(roster: Roster, teams: Iterable[str]) -> Iterator[str]:
    """Yield in sentences what does not fit of a roster and the teams that there are."""
    known = {bare_name(team) for team in teams}
    for team in sorted(roster.teams - known):
        yield f"it names a team {team}, which is none"
    for team in sorted(known - roster.teams):
        yield f"it names no student of the team {team}"


def canvas_table(roster: Roster, marks: Iterable[TeamMark], assignment: str) -> str:
    """Return the marks as Canvas' gradebook imports them; an existing title is ``Title (123)``."""
    own = [*(name for name in CANVAS if name in roster.columns), SECTION]
    points = [POINTS, *[""] * (len(own) - 1), MOST]
    graded = _graded(roster, marks)
    rows = [[*(student.get(name, "") for name in own), mark.total] for student, mark in graded]
    return as_csv([*own, assignment], [points, *rows])


def moodle_table(roster: Roster, marks: Iterable[TeamMark], assignment: str) -> str:
    own = [name for name in MOODLE if name in roster.columns]
    rows = [
        [*(student[name] for name in own), mark.total, mark.feedback]
        for student, mark in _graded(roster, marks)
    ]
    return as_csv([*own, assignment, f"{assignment} feedback"], rows)


def moodle_xml(roster: Roster, marks: Iterable[TeamMark], assignment: str) -> str:
    """Return the marks as Moodle's XML import reads them, of students who have a number."""
    results = Element("results")
    for student, mark in _graded(roster, marks):
        if number := student[ID_NUMBER]:
            result = SubElement(results, "result")
            feedback = one_line(CONTROL.sub(" ", mark.feedback))
            facts = (("assignment", assignment), ("student", number), ("score", f"{mark.total}"))
            for tag, text in (*facts, ("feedback", feedback)):
                SubElement(result, tag).text = text
    indent(results)
    return tostring(results, encoding="unicode", xml_declaration=True) + "\n"


def _graded(
    roster: Roster, marks: Iterable[TeamMark]
) -> Iterator[tuple[Mapping[str, str], TeamMark]]:
    """Yield each student of a team that there is and is judged, with its mark."""
    by_team = {bare_name(mark.id): mark for mark in marks if not mark.unjudged}
    for student in roster.students:
        if student[TEAM] in by_team:
            yield student, by_team[student[TEAM]]


def _student(line: Mapping[str, str]) -> dict[str, str]:
    found = {name: line[name].strip() for name in line if name}  # None has what is too much
    return found | {TEAM: bare_name(found[TEAM])}
