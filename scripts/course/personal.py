"""What a course keeps of one team: handed out as an archive, or deleted."""

import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ..hosting.handin import bare_name
from ..hosting.shelf import STATE, VERDICT, Shelf
from .grading import EVIDENCE
from .pseudonyms import page_key, page_token
from .report import FEEDBACK, PUBLIC
from .settings import TEAMS, CourseError
from .tables import rows_with

ROWS: Final[Mapping[str, Sequence[str]]] = {
    "grades.csv": ("id",),
    "exercises.csv": ("id",),
    "likeness.csv": ("one", "other"),
}
"""Tables, with the columns that name teams."""


def team_of(course: Path, name: str) -> str:
    """Return a team of which something is kept; that of a zip has a name without its ending, too.

    Raises:
        CourseError: when there is none.
    """
    shelves = (course / TEAMS, course / TEAMS / STATE)
    places = (place for shelf in shelves if shelf.is_dir() for place in shelf.iterdir())
    told = (file.stem for file in (course / FEEDBACK).glob("*.md"))
    teams = {name for name in (*(place.name for place in places), *told) if name[0] != "."}
    found = [name] if name in teams else sorted(each for each in teams if bare_name(each) == name)
    if not found:
        raise CourseError(f"{course} keeps nothing of a team {name!r}")
    return found[0]


def _kept_of(course: Path, team: str) -> list[Path]:
    """Return the files and folders of a team: what it handed in, and what became of it."""
    places = (
        course / TEAMS / team,
        course / TEAMS / STATE / team,
        course / FEEDBACK / f"{team}.md",
        course / PUBLIC / f"{page_token(page_key(course), team)}.html",
        *_evidence(course, team),
    )
    return [place for place in places if place.exists()]


def export(course: Path, team: str, archive: Path) -> int:
    """Write all that is kept of a team, its rows too, into a zip; return the number of files."""
    team = team_of(course, team)
    files = [file for place in _kept_of(course, team) for file in _files(place)]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file in files:
            out.write(file, file.relative_to(course))
        for name, columns in ROWS.items():
            if (table := course / name).exists():
                out.writestr(name, rows_with(table.read_text(), columns, team))
        return len(out.namelist())


def forget(course: Path, team: str) -> list[Path]:
    """Delete all that is kept of a team but its rows, which the next grading leaves out."""
    places = _kept_of(course, team_of(course, team))
    for place in places:
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink()
    return places


def _evidence(course: Path, team: str) -> Iterator[Path]:
    """Yield the figures of the team's versions, unless another team handed in the same."""
    others = {version for shelf in _shelves(course) if shelf.place.name != team
              for version in _versions(shelf)}  # fmt: skip
    for version in sorted(_versions(Shelf(course / TEAMS / STATE / team)) - others):
        yield from sorted((course / STATE / EVIDENCE).glob(f"{version}-*.json"))


def _shelves(course: Path) -> Iterator[Shelf]:
    place = course / TEAMS / STATE
    yield from map(Shelf, sorted(place.iterdir()) if place.is_dir() else ())


def _versions(shelf: Shelf) -> set[str]:
    return {file.parent.name for file in shelf.place.glob(f"*/{VERDICT}")}


def _files(place: Path) -> Iterator[Path]:
    """Yield the plain files of a place; a link of a hand-in leads nowhere."""
    found = sorted(place.rglob("*")) if place.is_dir() else [place]
    return (file for file in found if file.is_file() and not file.is_symlink())
