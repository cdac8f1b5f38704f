"""What a course keeps of one team: handed out as an archive, or deleted."""

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..hosting.shelf import STATE, VERDICT, Shelf
from .grading import EVIDENCE
from .pseudonyms import page_key, page_token
from .report import FEEDBACK, PUBLIC
from .settings import TEAMS, CourseError

ROWS: Final = ("grades.csv", "exercises.csv", "likeness.csv")


def kept_of(course: Path, team: str) -> list[Path]:
    """Return the files and folders of a team: what it handed in, and what became of it."""
    places = (
        ()
        if team.startswith(".") or Path(team).name != team
        else (
            course / TEAMS / team,
            course / TEAMS / STATE / team,
            course / FEEDBACK / f"{team}.md",
            course / PUBLIC / f"{page_token(page_key(course), team)}.html",
            *_evidence(course, team),
        )
    )
    found = [place for place in places if place.exists()]
    if not found:
        raise CourseError(f"{course} keeps nothing of a team {team!r}")
    return found


def export(course: Path, team: str, archive: Path) -> int:
    """Write all that is kept of a team, its rows too, into a zip; return the number of files."""
    files = [file for place in kept_of(course, team) for file in _files(place)]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for file in files:
            out.write(file, file.relative_to(course))
        for name in ROWS:
            if text := _rows(course / name, team):
                out.writestr(name, text)
        return len(out.namelist())


def forget(course: Path, team: str) -> list[Path]:
    """Delete all that is kept of a team but its rows, which the next grading leaves out."""
    places = kept_of(course, team)
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


def _rows(table: Path, team: str) -> str:
    if not table.exists():
        return ""
    head, *rows = table.read_text().splitlines(keepends=True)
    return head + "".join(row for row in rows if team in row.strip().split(","))
