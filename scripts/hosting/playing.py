"""A hosted bot at play: one run after another, each in the sandbox, with the version of then."""

import asyncio
import os
import shlex
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from mancala.parent_death import ending_with_us

from ..sandbox.limits import SandboxLimits
from ..sandbox.outcome import RunEnding, RunOutcome
from ..sandbox.run import SandboxOrder, command_of
from .admission import manifest_of, order_for
from .handin import read_hand_in
from .manifest import Manifest
from .shelf import MOST_LOG, HostedRun, HostedVersion, Shelf, write_whole

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 60.0
LOOK_S: Final = 1.0
END_S: Final = 10.0
TOKEN: Final = "MANCALA_TOKEN"  # noqa: S105  # the name of a variable


class HostingTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how hosted bots play.

    Attributes:
        games: after how many games a run ends, and a new version may enter.
    """

    url: str
    ladder: str
    games: int
    limits: SandboxLimits
    tokens: dict[str, str] = {}


async def keep_playing(shelf: Shelf, terms: HostingTerms) -> None:
    """Play run after run; after one that failed, wait longer each time."""
    wait_s = FIRST_WAIT_S
    while True:
        version = shelf.current
        if version is None:
            await asyncio.sleep(LOOK_S)
            continue
        run = await play(shelf, version, terms)
        is_good = run.ending == "exited" and run.exit_code == 0
        wait_s = FIRST_WAIT_S if is_good else min(LONGEST_WAIT_S, 2 * wait_s)
        await asyncio.sleep(wait_s)


async def play(shelf: Shelf, version: HostedVersion, terms: HostingTerms) -> HostedRun:
    """Play a run with a version; keep and return what became of it."""
    program = shelf.program(version.version)
    manifest = manifest_of(read_hand_in(program))
    order = order_for(manifest, program, terms.limits, ladder=terms.ladder, games=terms.games)
    if manifest.how.protocol.connects:  # for any other program, ours logs in
        token = terms.tokens.get(version.name)
        order = msgspec.structs.replace(
            order, url=terms.url, environment={} if token is None else {TOKEN: token}
        )
    _forget(order)
    file = shelf.folder(version.version) / "order.json"
    write_whole(file, msgspec.json.encode(order))
    code = await _ended(_command(manifest, version, file, terms), terms.tokens.get(version.name))
    run = _run(version, order, code, terms.limits)
    shelf.keep_run(run)
    return run


def _forget(order: SandboxOrder) -> None:
    for file in (order.outcome, order.log):
        Path(file).unlink(missing_ok=True)


def _command(
    manifest: Manifest, version: HostedVersion, order: Path, terms: HostingTerms
) -> list[str]:
    """Return the command that plays: the bot itself, or ours that asks the program."""
    if manifest.how.protocol.connects:
        return command_of(order)
    return [
        *ending_with_us(sys.executable, "-m", "mancala", "bot", terms.url, "--json"),
        *("--name", version.name, "--ladder", terms.ladder),
        *("--games", str(terms.games), "--agent", f"{version.name}/{version.version}"),
        *("--player", f"cmd:{shlex.join(command_of(order))}"),
    ]


async def _ended(command: list[str], token: str | None) -> int:
    environment = {name: value for name, value in os.environ.items() if name != TOKEN}
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**environment, **({TOKEN: token} if token else {})},
    )
    try:
        return await process.wait()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(END_S):
            await process.wait()
        raise


def _run(
    version: HostedVersion, order: SandboxOrder, code: int, limits: SandboxLimits
) -> HostedRun:
    """Return what became of a run: by its outcome, or by the exit code where it left none."""
    left, log = Path(order.outcome), Path(order.log)
    stderr = log.read_bytes()[-MOST_LOG:].decode(errors="replace") if log.exists() else ""
    outcome = RunOutcome(RunEnding.EXITED, code)
    if left.exists():
        outcome = msgspec.json.decode(left.read_bytes(), type=RunOutcome)
    if outcome.ending is RunEnding.STOPPED:  # by the command that asked it, whose code counts
        outcome = replace(outcome, ending=RunEnding.EXITED, exit_code=code)
    return HostedRun(
        version=version.version,
        ending=outcome.ending,
        why=outcome.sentence(limits),
        exit_code=outcome.exit_code,
        wall_s=outcome.wall_s,
        cpu_s=outcome.cpu_s,
        memory_mb=outcome.memory_mb,
        stderr=stderr,
    )
