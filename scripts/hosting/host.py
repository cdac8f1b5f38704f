"""A folder of hand-ins, watched: each is admitted when it changes, and plays when it is good."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from .admission import UNREADABLE, Admission
from .handin import ZIP, VanishedError, bare_name
from .playing import HostingTerms, keep_playing, play
from .retries import RetryLooks
from .shelf import STATE, HostedVersion, Shelf

LOOK_S: Final = 2.0
"""Seconds between two looks at the folder; what changes between them is still being copied."""

Tell = Callable[[str], None]


class HostedFolder:
    """A folder of hand-ins.

    Args:
        folder: has a folder or a zip for each bot.
        admission: looks at what is handed in.
        say: receives a sentence when something changed.
    """

    def __init__(self, folder: Path, admission: Admission, say: Tell) -> None:
        self._folder = folder
        self._admission = admission
        self._say = say
        self._verdicts: dict[str, HostedVersion] = {}
        self._seen: dict[str, object] = {}
        self._admitted: dict[str, object] = {}
        self._passed_over: set[Path] = set()
        self._retries = RetryLooks()

    @property
    def hand_ins(self) -> list[Path]:
        """The folders and zips, in order; of several with one name a folder before a zip."""
        return [path for path, reason in self._found.items() if not reason]

    @property
    def _found(self) -> dict[Path, str]:
        """What is there, in order, with why it is passed over; empty for a hand-in."""
        there = sorted(path for path in self._folder.iterdir() if not path.name.startswith("."))
        found, counting = dict.fromkeys(there, ""), dict[str, Path]()
        for path in sorted(there, key=lambda path: not path.is_dir()):
            if not path.is_dir() and path.suffix.lower() != ZIP:
                found[path] = "since it is neither a folder nor a zip"
            elif (counts := counting.setdefault(bare_name(path.name), path)) is not path:
                kind = "folder" if counts.is_dir() else "zip"
                found[path] = f"since the {kind} {counts.name} counts; remove one"
        return found

    @property
    def names(self) -> list[str]:
        """The names of the folders and zips, in order."""
        return [path.name for path in self.hand_ins]

    @property
    def admitted(self) -> dict[str, object]:
        """What was looked at by now, by name; a copy."""
        return dict(self._admitted)

    def has_admitted(self, name: str, by_then: Mapping[str, object] | None = None) -> bool:
        """Return whether what is handed in under a name now was looked at, or is just now.

        Its files are read first, and may be replaced from then on.

        Args:
            name: of the folder or zip.
            by_then: what had been looked at by the time that is asked about; by default now.
        """
        looked_at = self._admitted if by_then is None else by_then
        return looked_at.get(name) == _mark(self._folder / name)

    def shelf(self, hand_in: Path) -> Shelf:
        return self.shelf_of(hand_in.name)

    def shelf_of(self, name: str) -> Shelf:
        return Shelf(self._folder / STATE / name)

    async def admit_all(self) -> None:
        """Admit each hand-in once."""
        self._say_what_is_passed_over()
        for path in self.hand_ins:
            with suppress(VanishedError):  # it is gone, or being replaced
                await self._admit(path)

    async def play_once(self, terms: HostingTerms) -> None:
        """Let each good bot play one run, all side by side."""
        async with asyncio.TaskGroup() as tasks:
            for path in self.hand_ins:
                shelf = self.shelf(path)
                if (version := shelf.current) is not None:
                    tasks.create_task(play(shelf, version, terms), name=path.name)

    async def play_on(self, terms: HostingTerms) -> None:
        """Let each good bot play run after run, and admit what changes, until cancelled."""
        playing: dict[str, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as tasks:
            while True:
                for path in self.hand_ins:
                    if path.name not in playing:
                        seat = keep_playing(self.shelf(path), terms)
                        playing[path.name] = tasks.create_task(seat, name=path.name)
                await self.admit_changed()
                await asyncio.sleep(LOOK_S)

    async def admit_changed(self) -> bool:
        """Admit the hand-ins that changed and then stayed the same; return whether any did."""
        self._say_what_is_passed_over()
        names = set(self.names)
        found = self._admitted.keys() - names
        for name in found:
            del self._admitted[name]
        for path in self.hand_ins:
            mark = _mark(path)
            is_settled = self._seen.get(path.name) == mark
            self._seen[path.name] = mark
            is_new = self._admitted.get(path.name) != mark
            if is_settled and (is_new or self._retries.is_due(path.name)):
                with suppress(VanishedError):  # it is being replaced, and looked at again
                    await self._admit(path)
                    found |= {path.name}
        return bool(found)

    def report(self) -> list[dict[str, Any]]:
        return [self._line(path) for path in self.hand_ins]

    def _line(self, path: Path) -> dict[str, Any]:
        shelf = self.shelf(path)
        current, last = shelf.current, self._verdicts.get(path.name)
        shown = last or current or HostedVersion(version="")
        return {
            "folder": path.name,
            "name": shown.name or (current.name if current else ""),
            "owner": shown.owner or (current.owner if current else ""),
            "version": shown.version,
            "good": shown.is_good,
            "why": shown.why,
            "unjudged": shown.unjudged,
            "passed": shown.passed,
            "failed": list(shown.failed),
            "plays": current.version if current else None,
            "runs": [msgspec.to_builtins(run) for run in shelf.runs],
        }

    async def _admit(self, path: Path) -> None:
        self._admitted[path.name] = self._seen[path.name] = _mark(path)
        verdict = await self._admission.admit(path, self.shelf(path), self._names_beside(path))
        self._keep(path, verdict)

    def refuse(self, name: str, why: str) -> None:
        """Refuse what was handed in last under a name, until the next hand-in."""
        self._keep(self._folder / name, HostedVersion(version=UNREADABLE, why=why))

    def _keep(self, path: Path, verdict: HostedVersion) -> None:
        self._retries.note(path.name, failed=verdict.unjudged)
        if verdict != self._verdicts.get(path.name):
            self._verdicts[path.name] = verdict
            self._say(self._sentence(path, verdict))

    def _say_what_is_passed_over(self) -> None:
        """Name what is no hand-in when it is first seen."""
        passed_over = {path: reason for path, reason in self._found.items() if reason}
        for path, reason in passed_over.items():
            if path not in self._passed_over:
                self._say(f"{path.name}: passed over, {reason}")
        self._passed_over = set(passed_over)

    def _names_beside(self, path: Path) -> dict[str, str]:
        others = ((each, self.shelf(each).current) for each in self.hand_ins if each != path)
        return {current.name: each.name for each, current in others if current is not None}

    def _sentence(self, path: Path, verdict: HostedVersion) -> str:
        if verdict.is_good:
            return f"{path.name}: {verdict.name} {verdict.version} is good"
        current = self.shelf(path).current
        still = f"; version {current.version} plays on" if current is not None else ""
        refused = "" if verdict.unjudged else "refused: "
        return f"{path.name}: {refused}{verdict.why}{still}"


def _mark(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when the files of a hand-in do."""
    if not path.is_dir():
        return (_stamp(path),)
    try:
        return tuple(
            _stamp(Path(place, name)) for place, _, names in os.walk(path) for name in sorted(names)
        )
    except RecursionError:  # folders so deep are refused when they are read
        return (_stamp(path),)


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        found = path.lstat()
    except OSError:
        return str(path), 0, 0
    return str(path), found.st_ctime_ns, found.st_size  # the time of a chmod, too
