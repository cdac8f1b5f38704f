"""Where a host keeps what it knows of a hand-in: its versions, what became of each, its runs.

All is below ``.mancala`` in the host's folder. Files are written as a whole, so a host that was
killed goes on from what it finds.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from mancala import files

STATE: Final = ".mancala"
LOCK: Final = ".lock"
VERDICT: Final = "verdict.json"
CURRENT: Final = "current"
RUNS: Final = "runs.jsonl"
ARRIVALS: Final = "arrivals"
MOST_ARRIVALS: Final = 20
MOST_RUNS: Final = 200
"""Runs kept of each bot."""
MOST_PROGRAMS: Final = 3
"""Programs kept of each bot: the one that plays, and the last ones before it."""
MOST_LOG: Final = 1 << 16
"""Bytes kept of what the last run wrote to stderr."""

T = TypeVar("T")


class FolderInUseError(OSError):
    """Another process is at work in a folder; the message says so."""


class HostedVersion(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a version that was handed in.

    Attributes:
        version: a hash of its files.
        name: the bot's name; empty where ``bot.toml`` could not be read.
        why: why it may not play, for its author; empty if it may.
        packages: what was installed when it was looked at, as `packages.stamp_of` says it.
        unjudged: whether a fault of this machine left that open; such a verdict is not kept.
    """

    version: str
    name: str = ""
    owner: str = ""
    is_good: bool = False
    why: str = ""
    failed: tuple[str, ...] = ()
    passed: int = 0
    handed_in: float = 0.0
    packages: str = ""
    unjudged: bool = False


class HostedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run of a bot on the server; why it ended is a word and a sentence."""

    version: str
    ending: str
    why: str
    exit_code: int | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    stderr: str = ""


class Shelf:
    def __init__(self, place: Path) -> None:
        """Take the folder; it is made when something is first kept."""
        self.place = place

    def folder(self, version: str) -> Path:
        return self.place / version

    def program(self, version: str) -> Path:
        return self.folder(version) / "program"

    def verdict(self, version: str) -> HostedVersion | None:
        return _read(self.folder(version) / VERDICT, HostedVersion)

    @property
    def verdicts(self) -> list[HostedVersion]:
        """What became of each version, in no order."""
        found = (self.verdict(file.parent.name) for file in self.place.glob(f"*/{VERDICT}"))
        return [verdict for verdict in found if verdict is not None]

    def keep_verdict(self, verdict: HostedVersion) -> None:
        """Keep what became of a version; a good one becomes the one that plays.

        Of one that is not good only the verdict is kept, of good ones the last programs: those of
        64 MiB, one after another, fill a disk.
        """
        write_whole(self.folder(verdict.version) / VERDICT, msgspec.json.encode(verdict))
        if verdict.is_good:
            write_whole(self.place / CURRENT, verdict.version.encode())
            self._forget_others(verdict.version)
        else:
            shutil.rmtree(self.program(verdict.version), ignore_errors=True)

    @property
    def current(self) -> HostedVersion | None:
        file = self.place / CURRENT
        return self.verdict(file.read_text()) if file.exists() else None

    @property
    def runs(self) -> list[HostedRun]:
        """The last runs, oldest first."""
        file = self.place / RUNS
        lines = file.read_bytes().splitlines() if file.exists() else []
        return [msgspec.json.decode(line, type=HostedRun) for line in lines[-MOST_RUNS:]]

    def keep_run(self, run: HostedRun) -> None:
        lines = [msgspec.json.encode(each) for each in (*self.runs, run)]
        write_whole(self.place / RUNS, b"\n".join(lines[-MOST_RUNS:]))

    def arrival(self, version: str) -> float | None:
        """Return when an upload of a version was whole, in seconds of Unix time; None for none."""
        file = self.place / ARRIVALS / version
        return float(file.read_text()) if file.exists() else None

    def keep_arrival(self, version: str, came: float) -> None:
        """Keep when an upload of a version came whole; its first upload counts.

        Only the last `MOST_ARRIVALS` are kept: once a version was looked at, its verdict says it.
        """
        if self.arrival(version) is None:
            write_whole(self.place / ARRIVALS / version, repr(came).encode())
            kept = sorted((self.place / ARRIVALS).iterdir(), key=lambda file: file.stat().st_mtime)
            for file in kept[:-MOST_ARRIVALS]:
                file.unlink()

    def clear(self, version: str) -> None:
        """Remove what an interrupted look at a version left."""
        shutil.rmtree(self.folder(version), ignore_errors=True)

    def _forget_others(self, version: str) -> None:
        """Remove the programs of versions that came before the last few."""
        good = [each for each in self.verdicts if each.is_good]
        good.sort(key=lambda each: (each.version == version, each.handed_in))
        kept = {each.version for each in good[-MOST_PROGRAMS:]}
        for folder in self.place.glob("*/program"):
            if folder.parent.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder during the block: two would build and measure the same.

    Raises:
        FolderInUseError: when another one is in it.
    """
    (folder / STATE).mkdir(exist_ok=True)
    busy = FolderInUseError(f"another process is at work in {folder}")
    with files.open_locked(folder / STATE / LOCK, busy):
        yield


def write_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file so that it is there as a whole or not; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write_whole(path, data, mode)


def _read(path: Path, kind: type[T]) -> T | None:
    return msgspec.json.decode(path.read_bytes(), type=kind) if path.exists() else None
