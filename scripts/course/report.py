"""What a course leaves as files: tables, feedback, and pages that any web server can show.

``public`` holds the public page, with pseudonyms only, and a page for each student, whose name
cannot be guessed. All else is the lecturer's. The same figures make the same bytes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from mancala.bot.starters import BESIDE, LANGUAGES, starter

from ..hosting.admission import NOTHING
from ..hosting.handin import Files, HandInError, blamed_on_hand_in, read_hand_in
from ..hosting.shelf import write_whole
from .blocks import (
    Block,
    Heading,
    Items,
    LinkCell,
    Paragraph,
    TableBlock,
    as_markdown,
    as_page,
    one_line,
)
from .exercises import exercises_table
from .feedback import NOT_PUBLISHED, feedback, receipt
from .grading import GradedTeam
from .likeness import ComparedProgram, LikePair, alike, fingerprints, runs_of
from .marks import grades_table
from .platforms import ID_NUMBER, Roster, canvas_table, moodle_table, moodle_xml
from .pseudonyms import page_key, page_token, pseudonym
from .settings import SETTINGS, CourseSettings
from .tables import as_csv

GRADES: Final = "grades.csv"
CANVAS_GRADES: Final = "canvas.csv"
MOODLE_GRADES: Final = "moodle.csv"
MOODLE_XML: Final = "moodle.xml"
EXERCISES: Final = "exercises.csv"
LIKENESS: Final = "likeness.csv"
FEEDBACK: Final = "feedback"
PUBLIC: Final = "public"
UNLISTED: Final = 0o711
READ_BY_ALL: Final = 0o644
"""Of the public pages, which a web server of another user shows; only who knows a name reads it."""
PRIVATE: Final = 0o600
LECTURER: Final = "lecturer.html"
NO_SOURCE: Final = frozenset((".md", ".txt", ".toml", ".json", ".csv", ".lock", ".mod", ".yml"))
"""Endings of files that are no sources."""
OF_OTHERS: Final = frozenset(("node_modules", "vendor", "target"))
"""Folders of packages that a program needs, which its author has not written."""
MOST_SOURCE: Final = 1 << 20
"""Bytes of a program that are compared."""


class ReportedTeam(NamedTuple):
    """A team in the report: its name in public, and the file of its private page in ``public``."""

    graded: GradedTeam
    alias: str
    page: str


def write_report(
    course: Path,
    settings: CourseSettings,
    graded: Sequence[GradedTeam],
    *,
    roster: Roster | None = None,
) -> None:
    key = page_key(course)
    teams = [
        ReportedTeam(each, pseudonym(key, each.mark.id), f"{page_token(key, each.mark.id)}.html")
        for each in graded
    ]
    pairs = alike(list(_compared(graded)))
    texts = {
        GRADES: grades_table(each.graded.mark for each in teams),
        LIKENESS: as_csv(LikePair._fields, map(_rounded, pairs)),
        LECTURER: as_page("Course", _lecturer(teams, pairs, settings)),
        f"{PUBLIC}/index.html": as_page("Course", _public(teams, settings)),
        **_own_texts(teams, settings),
    }
    marks = [team.mark for team in graded]
    if roster is not None and roster.is_of_canvas:
        texts[CANVAS_GRADES] = canvas_table(roster, marks, settings.assignment)
    if roster is not None and roster.is_of_moodle:
        texts[MOODLE_GRADES] = moodle_table(roster, marks, settings.assignment)
        if ID_NUMBER in roster.columns:
            texts[MOODLE_XML] = moodle_xml(roster, marks, settings.assignment)
    if settings.exercises:
        results = {each.mark.id: None if each.mark.unjudged else each.exercises for each in graded}
        texts[EXERCISES] = exercises_table(settings.exercises, results)
    public = course / PUBLIC
    public.mkdir(exist_ok=True)
    if (mode := public.stat().st_mode) & ~UNLISTED & READ_BY_ALL:  # it was listed for all before
        public.chmod(mode & UNLISTED)
    for name, text in texts.items():
        mode = READ_BY_ALL if name.startswith(f"{PUBLIC}/") else PRIVATE
        write_whole(course / name, text.encode(), mode)


def _own_texts(teams: Iterable[ReportedTeam], settings: CourseSettings) -> dict[str, str]:
    """Return what each team may read: its feedback as Markdown, and as its private page."""
    texts = {}
    for team in teams:
        name = team.graded.mark.id
        if settings.published:
            blocks = list(feedback(team.graded, may_fail=settings.may_fail))
        else:
            blocks = list(receipt(team.graded))
        texts[f"{FEEDBACK}/{name}.md"] = as_markdown(blocks)
        alias = f"In public you are {team.alias}. All who have this address read this page."
        texts[f"{PUBLIC}/{team.page}"] = as_page(name, [*blocks, Paragraph(alias)])
    return texts


def _public(teams: Iterable[ReportedTeam], settings: CourseSettings) -> Iterator[Block]:
    """Yield the public page: it has no name, and nothing by which a team could be known."""
    yield Heading("Course", level=1)
    if not settings.published:
        yield Paragraph(NOT_PUBLISHED)
        return
    ordered = sorted(teams, key=lambda each: (-each.graded.mark.total, each.alias))
    rows = [
        (each.alias, mark.points, mark.level, mark.loss, mark.exercises)
        for each in ordered
        for mark in (each.graded.mark,)
    ]
    yield TableBlock(("team", "points", "level", "seeds lost a move", "exercises"), rows)


def _lecturer(
    teams: Sequence[ReportedTeam], pairs: Sequence[LikePair], settings: CourseSettings
) -> Iterator[Block]:
    marks = [each.graded.mark for each in teams]
    yield Heading("Course", level=1)
    if not settings.published:
        yield Paragraph(f"{NOT_PUBLISHED} Teams see them once {SETTINGS} says published = true.")
    states = [_state(each, settings) for each in teams]
    yield Items([f"{count} {state}" for state, count in sorted(Counter(states).items())])
    yield Heading("Teams")
    head = ("team", "owner", "bot", "in public", "points", "state", "handed in", "faults", "why")
    rows = [
        (
            LinkCell(mark.id, f"{PUBLIC}/{each.page}"),
            *(each.graded.owner, mark.bot, each.alias, mark.points, state),
            *(
                mark.handed_in,
                mark.faults,
                one_line(each.graded.refused or mark.why or mark.comment),
            ),
        )
        for each, mark, state in zip(teams, marks, states, strict=True)
    ]
    yield TableBlock(head, rows)
    yield Heading("Programs that are alike")
    yield Paragraph(
        "Look at them; this is no verdict. Sources: the share of the smaller program's"
        " fingerprints. Play: in how many positions with several best moves both play the same"
        " one, and the chance that independent programs agree so often."
    )
    if not pairs:
        yield Paragraph("None are.")
        return
    yield TableBlock(
        ("one", "other", "sources", "play", "chance"),
        [
            (
                *(pair.one, pair.other, f"{pair.sources:.0%}"),
                *(f"{pair.agreed} of {pair.compared}", f"{pair.chance:.1e}"),
            )
            for pair in pairs
        ],
    )


def _state(team: ReportedTeam, settings: CourseSettings) -> str:
    mark = team.graded.mark
    if team.graded.waits:
        return "waiting"
    if mark.unjudged:
        return "not judged"
    if not mark.evidence:
        return "empty" if mark.why.endswith(NOTHING) else "broken"
    if team.graded.refused:
        return "newest broken"
    if not settings.may_fail:
        return "marked"
    return "passed" if mark.passed else "not passed"


def _rounded(pair: LikePair) -> LikePair:
    return pair._replace(sources=round(pair.sources, 4), chance=float(f"{pair.chance:.3g}"))


def _compared(graded: Iterable[GradedTeam]) -> Iterator[ComparedProgram]:
    known = _starters()
    for team in graded:
        if team.found is not None and team.program is not None:
            prints: frozenset[int] = frozenset()
            with suppress(HandInError), blamed_on_hand_in():
                prints = fingerprints(_sources(read_hand_in(team.program)), known)
            yield ComparedProgram(team.mark.id, prints, team.found.answers)


def _sources(files: Files) -> Iterator[str]:
    """Yield the texts of a program that are sources, up to a size in all."""
    left = MOST_SOURCE
    for name in sorted(files):
        if not OF_OTHERS.isdisjoint(Path(name).parts):
            continue
        data = files[name].data
        if Path(name).suffix.lower() not in NO_SOURCE and b"\0" not in data and len(data) <= left:
            left -= len(data)
            yield data.decode(errors="replace")


def _starters() -> frozenset[int]:
    """Return the hashes of all runs of tokens in the starters, and in what is written with them."""
    page = resources.files("mancala.server.web.static")
    texts = [text for each in LANGUAGES for text in starter(each, name="bot").values()]
    texts += [page.joinpath(name).read_text(encoding="utf-8") for name in BESIDE]
    return frozenset(chain.from_iterable(map(runs_of, texts)))
