"""From a hand-in to a version that may play: read, built in the sandbox, put through check-bot."""

import asyncio
import shlex
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from ..conformance import programs
from ..conformance.robot import Times, listening
from ..conformance.situations import SITUATIONS, TAKEOVER, check
from ..conformance.starting import started
from ..conformance.verdicts import ConformanceReport
from ..sandbox.command import SandboxJob
from ..sandbox.limits import BUILD, SandboxLimits
from ..sandbox.machine import this_host
from ..sandbox.outcome import RunEnding, RunOutcome, both_ends, outcomes_of
from ..sandbox.run import SandboxOrder, command_of, run
from .handin import (
    MOST_BUILT,
    ZIP,
    Files,
    HandInError,
    HostFaultError,
    UnexpectedError,
    VanishedError,
    bare_name,
    blamed_on_hand_in,
    blamed_on_host,
    digest_of,
    handed_in_at,
    late_reason,
    read_hand_in,
    read_tar,
    write_files,
)
from .manifest import MANIFEST, Manifest, ManifestError, read_manifest
from .packages import missing_packages, stamp_of
from .shelf import HostedVersion, Shelf, write_whole
from .soundness import require_sound_host

SHORT: Final = 600
"""Letters of stderr that a reason quotes, of its first and of its last lines."""
OUTCOME: Final = "outcome.json"
CHECK_RUNS: Final = "check-runs.jsonl"
RECHECKS: Final = 2
"""How often a program is checked again that was late, or was killed."""
GAMES: Final = 9999
"""Games for which a program is asked to stay, checked or graded."""
LADDER: Final = "main"
ARCHIVES: Final = (ZIP, ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".rar")
NOTHING: Final = "nothing is handed in"
UNREADABLE: Final = "unreadable"
"""The version of a hand-in whose files cannot be read."""


class Admission:
    """Looks at hand-ins.

    Args:
        limits: what a program may use while it is checked.
        times: how long check-bot waits.
        only: situations to be met; all if there are none.
        closes: returns until when a hand-in may come, by its name, in seconds of Unix time.
        by_folder: whether a bot is called as its folder, so that several may state the same name.
    """

    def __init__(
        self,
        limits: SandboxLimits,
        times: Times,
        only: Sequence[str] = (),
        *,
        closes: Callable[[str], float] = lambda _: inf,
        by_folder: bool = False,
    ) -> None:
        self._limits = limits
        self._times = times
        self._only = only
        self._closes = closes
        self._by_folder = by_folder

    async def admit(self, path: Path, shelf: Shelf, taken: Mapping[str, str]) -> HostedVersion:
        """Return what became of what is handed in now; build and check it if that is new.

        Whatever reading it raises is a reason to refuse it; what building and checking it raises is
        a fault of this machine, and leaves it unjudged.

        Args:
            path: the folder or zip.
            shelf: where it is kept.
            taken: names of bots that others handed in, with their folders.

        Raises:
            VanishedError: when it is gone, or being replaced.
        """
        refused = HostedVersion(version=UNREADABLE)
        try:
            with blamed_on_host(HandInError, VanishedError):
                files = _read(path)
                refused = HostedVersion(version=digest_of(files))
                return await self._admitted(path, files, refused.version, shelf, taken)
        except HandInError as error:
            return msgspec.structs.replace(refused, why=str(error))
        except HostFaultError as error:
            return msgspec.structs.replace(refused, why=str(error), unjudged=True)

    async def _admitted(
        self, path: Path, files: Files, version: str, shelf: Shelf, taken: Mapping[str, str]
    ) -> HostedVersion:
        manifest = manifest_of(files)
        if manifest.name in taken and not self._by_folder:
            why = f"the name {manifest.name} is taken by {taken[manifest.name]}"
            return HostedVersion(version=version, owner=manifest.owner, why=why)
        known = shelf.verdict(version)
        came = known.handed_in if known is not None else _came(path, shelf, version)
        if came > self._closes(path.name):
            why = late_reason(came)
            return HostedVersion(version=version, owner=manifest.owner, why=why)
        if known is None or self._is_to_be_judged(known, shelf):
            shelf.clear(version)
            known = await self._judged(files, manifest, version, shelf)
            name = bare_name(path.name) if self._by_folder else manifest.name
            known = msgspec.structs.replace(known, name=name, handed_in=came)
        shelf.keep_verdict(known)
        return known

    def _is_to_be_judged(self, known: HostedVersion, shelf: Shelf) -> bool:
        """Return whether a good program is gone, or packages changed since a bad one failed."""
        if known.is_good:
            return not shelf.program(known.version).exists()
        return known.packages != stamp_of(self._limits.packages)

    async def _judged(
        self, files: Files, manifest: Manifest, version: str, shelf: Shelf
    ) -> HostedVersion:
        packages = self._limits.packages
        stamp = stamp_of(packages)
        verdict = HostedVersion(version=version, owner=manifest.owner, packages=stamp)
        try:
            limits = replace(BUILD, isolated=self._limits.isolated, packages=packages)
            await built(files, manifest, shelf.program(version), limits)
            report = await self._checked(manifest, shelf, version)
            for _ in range(RECHECKS):
                disturbed = _is_late(report) or _is_disturbed(_runs(shelf, version))
                if not (report.failed and disturbed):
                    break
                report = await self._checked(manifest, shelf, version)
        except UnexpectedError:
            raise
        except HandInError as error:
            await self._require_sound_host(shelf, version)
            return msgspec.structs.replace(verdict, why=f"{error}{self._lacking(files)}")
        failed = tuple(each.situation for each in report.failed)
        if failed:
            await self._require_sound_host(shelf, version)
        return msgspec.structs.replace(
            verdict,
            is_good=not report.failed,
            why=f"{_why(report)}{self._last_words(report, shelf, version)}{self._lacking(files)}"
            if failed
            else "",
            failed=failed,
            passed=len(report.verdicts) - len(failed),
        )

    async def _require_sound_host(self, shelf: Shelf, version: str) -> None:
        """Check this machine before a program is blamed; HostFaultError if it cannot run one."""
        folder, runs = shelf.folder(version), _runs(shelf, version)
        await asyncio.to_thread(require_sound_host, self._limits, folder, runs)

    def _lacking(self, files: Files) -> str:
        """Return which packages a program that failed asks for in vain; empty if none."""
        with suppress(HandInError), blamed_on_hand_in():
            lacking = missing_packages(files, self._limits.packages, this_host().packages)
            return f"; {lacking}" if lacking else ""
        return ""

    async def _checked(self, manifest: Manifest, shelf: Shelf, version: str) -> ConformanceReport:
        file, runs = shelf.folder(version) / "check.json", _runs(shelf, version)
        runs.unlink(missing_ok=True)
        order = order_for(manifest, shelf.program(version), self._limits)
        order = msgspec.structs.replace(order, runs=str(runs))
        write_whole(file, msgspec.json.encode(order))
        command = shlex.join(command_of(file))
        protocol = manifest.how.protocol
        if not protocol.connects:
            names = self._those_of(protocol.situations or programs.SITUATIONS)
            return await programs.check(command, self._times, names, protocol.start)
        async with (
            listening("127.0.0.1", 0, self._times) as robot,
            started(f"{command} {{url}}", robot.url) as robot.process,
        ):
            return await check(robot, manifest.name, self._those_of(SITUATIONS))

    def _last_words(self, report: ConformanceReport, shelf: Shelf, version: str) -> str:
        """Return how the first run that failed ended, and what it wrote to stderr.

        A bot that rightly stays away, once another has its session, ends because of the check.
        """
        runs = outcomes_of(_runs(shelf, version))
        if any(each.situation == TAKEOVER and each.failure is None for each in report.verdicts):
            runs = runs[:-1]
        failed = (run for run in runs if not run.is_good and run.ending is not RunEnding.STOPPED)
        outcome = next(failed, None)
        return "" if outcome is None else f"; {_end_of(outcome, self._limits)}"

    def _those_of(self, situations: Collection[str]) -> list[str]:
        """Return the situations to be met of those that a protocol has."""
        first = next(iter(situations))
        return [name for name in situations if not self._only or name in {first, *self._only}]


def _read(path: Path) -> Files:
    """Return what was handed in, or raise `VanishedError` or `HandInError`."""
    with blamed_on_hand_in():
        try:
            return read_hand_in(path)
        except FileNotFoundError:
            raise VanishedError from None
        except PermissionError as error:
            raise HandInError(f"it cannot be read: {error.strerror}") from None


def _runs(shelf: Shelf, version: str) -> Path:
    return shelf.folder(version) / CHECK_RUNS


def _is_late(report: ConformanceReport) -> bool:
    """Return whether a program failed, and by its time alone: the machine may have been busy."""
    failures = [each.failure for each in report.failed if each.failure is not None]
    return bool(failures) and all(each.is_late for each in failures)


def _is_disturbed(runs: Path) -> bool:
    """Return whether a program was killed, or did not even leave how it ended."""
    outcomes = outcomes_of(runs)
    return not outcomes or any(each.is_killed for each in outcomes)


def manifest_of(files: Files) -> Manifest:
    """Return what the author says."""
    if MANIFEST not in files:
        raise ManifestError(f"there is no {MANIFEST}{_instead(files)}")
    return read_manifest(files[MANIFEST].data)


def _instead(files: Files) -> str:
    """Return what was probably handed in instead of a ``bot.toml`` at the top; empty if unknown."""
    if not files:
        return f": {NOTHING}"
    names = sorted(files, key=lambda name: (name.count("/"), name))
    for name in names:
        if PurePosixPath(name).name == MANIFEST:
            return f", but {name!r}: put it at the top"
        if PurePosixPath(name).name.lower().startswith(MANIFEST):
            return f", but {name!r}: name it {MANIFEST}, and put it at the top"
    for name in names:
        if name.lower().endswith(ARCHIVES):
            return f", but {name!r}: hand in the files that are in it"
    return ""


def order_for(
    manifest: Manifest,
    program: Path,
    limits: SandboxLimits,
    *,
    ladder: str = LADDER,
    games: int = GAMES,
) -> SandboxOrder:
    """Return the order that runs a built program.

    Its words are the same wherever it runs, so that it cannot tell play from a check or a grading.
    Only a program that connects has to know its ladder and its games.
    """
    connects = manifest.how.protocol.connects
    if not connects:
        ladder, games = LADDER, GAMES
    return SandboxOrder(
        program=str(program),
        command=manifest.started(url="ws://127.0.0.1:{port}", ladder=ladder, games=games),
        limits=limits,
        outcome=str(program.with_name(OUTCOME)),
        log=str(program.with_name("log")),
        connects=connects,
    )


async def built(
    files: Files, manifest: Manifest, program: Path, limits: SandboxLimits = BUILD
) -> None:
    if not manifest.how.build:
        write_files(files, program)
        return
    with tempfile.TemporaryDirectory(prefix="mancala-build-") as folder:
        source, archive = Path(folder, "source"), Path(folder, "built.tar")
        write_files(files, source)
        job = SandboxJob(source, manifest.filled(manifest.how.build), limits, keep=True)
        outcome = await run(job, out=_appends(archive), err=lambda _: None)
        if not outcome.is_good:
            raise HandInError(f"the build failed: {_end_of(outcome, limits)}")
        with blamed_on_hand_in():
            left = read_tar(archive)
        write_files(left, program)


def _end_of(outcome: RunOutcome, limits: SandboxLimits) -> str:
    end = both_ends(outcome.stderr.strip(), SHORT)
    return outcome.sentence(limits) + (f": {end}" if end else "")


def _came(path: Path, shelf: Shelf, version: str) -> float:
    uploaded = shelf.arrival(version)
    try:
        return handed_in_at(path) if uploaded is None else uploaded
    except FileNotFoundError:
        raise VanishedError from None


def _appends(path: Path) -> Callable[[bytes], None]:
    """Return what writes an archive to a file, up to the most that is read of it."""

    def appended(data: bytes) -> None:
        with path.open("ab") as file:
            file.write(data[: MOST_BUILT - file.tell()])

    return appended


def _why(report: ConformanceReport) -> str:
    first = next((each for each in report.failed if each.failure is not None), None)
    if first is None:
        return ""
    return f"check-bot, {first.situation}: {first.failure}"
