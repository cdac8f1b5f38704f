"""Runs a job in the sandbox, watches it, and connects it to its server.

    python -m mancala.scripts.sandbox.run JOB.json

The file describes the job (`SandboxOrder`). Standard input, output and errors are those of the
program, as is the exit code, so the command line stands wherever a program's may: in ``cmd:``,
``net:`` and ``--run``. When this process ends, so does all that runs in the sandbox.

The program has no network. It finds its server on a port of its own loopback: the program inside
that prepares the sandbox (`mancala.scripts.sandbox.inside`) listens there and hands the listening
socket out to this process, which accepts each connection and passes it on to the server. So a bot
in any language connects as it would elsewhere, and reaches one port of one machine.
"""

import asyncio
import fcntl
import os
import platform
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

import msgspec

from mancala.files import write_all, write_whole

from .command import Descriptors, SandboxJob, environment_of, sandboxed, unconfined
from .limits import MIB, SandboxLimits
from .machine import require_sandbox, this_host
from .outcome import SIGNALS_FROM, RunEnding, RunOutcome, both_ends, ending_of
from .syscalls import system_call_filter
from .usage import Usage, UsageMeter, control_group, joining

LOOK_S: Final = 0.1
PIECE: Final = 1 << 16
STDERR_KEPT: Final = 4096
MOST_FILES: Final = 20_000
"""Files in the folders of a sandbox: each costs kernel memory that no other limit counts."""
MOST_SOCKETS: Final = 64
"""Sockets in a sandbox: what waits in one is kernel memory, some megabytes of TCP each."""
MOST_CONNECTIONS: Final = 8
FIRST_DESCRIPTOR: Final = 100
"""Of those handed to a sandbox."""
HAND_OUT_S: Final = 30.0
PORTS: Final = {"ws": 80, "tcp": 2671}

Sink = Callable[[bytes], None]


class SandboxOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A job as a file describes it.

    Attributes:
        command: a line of the shell; ``{port}`` stands for the port of its server.
        outcome: the file that receives the outcome, as JSON; none if it is empty.
        url: the server that it reaches; none if it is empty.
        log: the file that receives its stderr; passed on if it is empty.
        connects: whether it plays over a socket: nothing is read from its stdin, and its stdout is
            written where its stderr is.
        runs: the file to which each run's outcome is appended, a line of JSON; none if it is empty.
    """

    program: str
    command: str
    limits: SandboxLimits = SandboxLimits()
    environment: dict[str, str] = {}
    outcome: str = ""
    url: str = ""
    log: str = ""
    connects: bool = False
    runs: str = ""


def command_of(order: Path) -> list[str]:
    """Return the command line that runs the order of a file."""
    return [sys.executable, "-m", "mancala.scripts.sandbox.run", str(order)]


async def run(
    job: SandboxJob,
    *,
    url: str = "",
    stdin: int | IO[bytes] = asyncio.subprocess.DEVNULL,
    out: Sink,
    err: Sink,
    is_stopped: Callable[[], bool] = lambda: False,
) -> RunOutcome:
    """Run a job to its end.

    Args:
        job: what to run.
        url: the server that it reaches; none if it is empty.
        stdin: its standard input.
        out: receives what it writes to stdout, in a thread; of a job that is kept, the archive.
        err: receives what it writes to stderr, in a thread; of a job that is kept, also to stdout.
        is_stopped: asked ten times a second whether to end it.

    Raises:
        NoSandboxError: when there is no sandbox on this machine.
    """
    if job.limits.isolated:
        require_sandbox()
    with ExitStack() as open_files:
        channel, ours = _channel(open_files) if url else (None, None)
        filtered = _filter(open_files) if job.limits.isolated else None
        kept, archive = await _archive() if job.keep else (None, None)
        handed = Descriptors(channel, filtered, archive)
        group = open_files.enter_context(control_group())
        words = (*joining(group), *_words(job, handed, open_files))
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT if job.keep else asyncio.subprocess.PIPE,
            env=environment_of(job, this_host()),
            pass_fds=[each for each in handed if each is not None],
            start_new_session=True,
        )
        for each in handed:
            if each is not None:
                os.close(each)
        meter = UsageMeter(process.pid, itself=not job.limits.isolated, group=group)
        running = _Run(job, process, meter, kept, out=out, err=err, is_stopped=is_stopped)
        return await running.outcome(ours, url)


def _words(job: SandboxJob, handed: Descriptors, open_files: ExitStack) -> list[str]:
    """Return the command line of a job: in the sandbox, or in a folder of its own."""
    if job.limits.isolated:
        return sandboxed(job, this_host(), _starter(), handed)
    work = open_files.enter_context(tempfile.TemporaryDirectory(prefix="mancala-work-"))
    return unconfined(job, this_host(), _starter(), handed, Path(work))


class _Run:
    """A job that runs."""

    def __init__(
        self,
        job: SandboxJob,
        process: asyncio.subprocess.Process,
        meter: UsageMeter,
        kept: asyncio.StreamReader | None,
        *,
        out: Sink,
        err: Sink,
        is_stopped: Callable[[], bool],
    ) -> None:
        self._job = job
        self._process = process
        self._meter = meter
        self._kept = kept
        self._errors = process.stderr or process.stdout
        self._sinks = {kept or process.stdout: out, self._errors: err}
        self._is_stopped = is_stopped
        self._began = time.monotonic()
        self._broken: RunEnding | None = None
        self._output = 0
        self._stderr = b""
        self._peak = Usage()

    async def outcome(self, channel: socket.socket | None, url: str) -> RunOutcome:
        """Watch it until it ends."""
        tasks = [asyncio.create_task(self._watch(), name="watch of a sandbox")]
        if channel is not None:
            relaying = _relay(channel, url)
            tasks.append(asyncio.create_task(relaying, name="relay of a sandbox"))
        try:
            await asyncio.gather(*(self._pump(pipe) for pipe in self._sinks))
            code = await self._process.wait()
            self._peak = self._peak.peak_with(self._meter.look())
            await asyncio.sleep(0)  # a signal to this process may have come with that to the others
            if self._is_stopped():
                self._broken = self._broken or RunEnding.STOPPED
        except asyncio.CancelledError:
            self._break(RunEnding.STOPPED)
            await self._process.wait()
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return self._summary(code)

    async def _pump(self, pipe: asyncio.StreamReader | None) -> None:
        """Pass on what comes, up to the limit of output; then read on, so that nothing waits."""
        if pipe is None:
            return
        most = self._job.limits.output_mb * MIB
        if pipe is self._kept:
            most = self._job.limits.disk_mb * MIB
        written = 0
        while data := await pipe.read(PIECE):
            self._output += len(data)
            written += len(data)
            if pipe is self._errors:
                self._stderr += data
                if len(self._stderr) > 3 * STDERR_KEPT:  # more than are shown
                    self._stderr = self._stderr[:STDERR_KEPT] + self._stderr[-STDERR_KEPT:]
            if written > most or (not self._job.keep and self._output > most):
                self._break(RunEnding.OUTPUT)
                continue
            try:
                await asyncio.to_thread(self._sinks[pipe], data)
            except BrokenPipeError:  # who asked the program reads no more
                self._break(RunEnding.STOPPED)

    async def _watch(self) -> None:
        limits = self._job.limits
        while True:
            used = self._meter.look()
            self._peak = self._peak.peak_with(used)
            if used.memory_bytes > limits.memory_mb * MIB:
                self._break(RunEnding.MEMORY)
            if used.cpu_s > limits.cpu_s:
                self._break(RunEnding.CPU)
            if used.files > MOST_FILES:
                self._break(RunEnding.DISK)
            if used.sockets > MOST_SOCKETS:
                self._break(RunEnding.SOCKETS)
            if self._is_stopped():
                self._break(RunEnding.STOPPED)
            if limits.wall_s is not None and time.monotonic() - self._began > limits.wall_s:
                self._break(RunEnding.WALL)
            await asyncio.sleep(LOOK_S)

    def _break(self, cause: RunEnding) -> None:
        """End all that runs, for a cause; only the first one counts."""
        if self._broken is None and self._process.returncode is None:
            self._broken = cause
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _summary(self, code: int) -> RunOutcome:
        stderr = both_ends(self._stderr.decode(errors="replace"), STDERR_KEPT)
        memory_mb = self._peak.memory_bytes / MIB
        ending, exit_code, number = ending_of(
            code, broken=self._broken, memory_mb=memory_mb, stderr=stderr, limits=self._job.limits
        )
        return RunOutcome(
            ending,
            exit_code,
            number,
            wall_s=round(time.monotonic() - self._began, 3),
            cpu_s=round(self._peak.cpu_s, 3),
            memory_mb=round(memory_mb, 1),
            output_bytes=self._output,
            stderr=stderr,
        )


def _starter() -> str:
    return Path(__file__).with_name("inside.py").read_text(encoding="utf-8")


def _channel(open_files: ExitStack) -> tuple[int, socket.socket]:
    """Return the end of a channel for the sandbox, and ours."""
    theirs, ours = socket.socketpair()
    open_files.enter_context(ours)
    return _numbered(theirs.detach()), ours


async def _archive() -> tuple[asyncio.StreamReader, int]:
    """Return what reads an archive, and the descriptor to which it is written."""
    reading, writing = os.pipe()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb")
    )
    return reader, _numbered(writing)


def _filter(open_files: ExitStack) -> int | None:
    steps = system_call_filter(platform.machine())
    if steps is None:
        return None
    reading, writing = os.pipe()
    with open_files.enter_context(os.fdopen(writing, "wb")) as pipe:
        pipe.write(steps)
    return _numbered(reading)


def _numbered(descriptor: int) -> int:
    """Move a descriptor to a number that does not depend on what else is open.

    The program can read it in bubblewrap's command line.
    """
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR)
    os.close(descriptor)
    return moved


async def _relay(channel: socket.socket, url: str) -> None:
    listener = await asyncio.to_thread(_handed_out, channel)
    if listener is None:
        return
    address = urlsplit(url)
    open_connections = asyncio.Semaphore(MOST_CONNECTIONS)

    async def passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with open_connections:
            with suppress(OSError):
                port = address.port or PORTS[address.scheme]
                there = await asyncio.open_connection(address.hostname, port)
                await asyncio.gather(_copy(reader, there[1]), _copy(there[0], writer))
            writer.close()

    async with await asyncio.start_server(passed_on, sock=listener) as server:
        await server.serve_forever()


def _handed_out(channel: socket.socket) -> socket.socket | None:
    """Return the listening socket from inside; None when none comes."""
    channel.settimeout(HAND_OUT_S)
    with suppress(OSError):
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
        if descriptors:
            return socket.socket(fileno=descriptors[0])
    return None


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(PIECE):
            writer.write(data)
            await writer.drain()
    with suppress(OSError, RuntimeError):
        writer.close()


def _note(order: SandboxOrder, outcome: RunOutcome) -> None:
    if order.runs:
        _append(Path(order.runs), msgspec.json.encode(outcome) + b"\n")


def main() -> None:
    """Run the order of a file, and exit as the program does."""
    order = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=SandboxOrder)
    url = sys.argv[2] if len(sys.argv) > 2 else order.url
    try:
        outcome = asyncio.run(_until_stopped(order, url))
    except Exception as error:  # noqa: BLE001  # whatever it is, the program is not at fault
        _note(order, RunOutcome(RunEnding.HOST, stderr=str(error)))
        sys.exit(str(error))
    if order.outcome:
        write_whole(Path(order.outcome), msgspec.json.encode(outcome))
    _note(order, outcome)
    number = outcome.signal or signal.SIGKILL
    code = outcome.exit_code if outcome.exit_code is not None else SIGNALS_FROM + number
    os._exit(code)  # a thread may wait for a reader that does not read


async def _until_stopped(order: SandboxOrder, url: str) -> RunOutcome:
    """Run an order until it ends, SIGTERM comes, or the process that asked for it has ended."""
    log = os.open(order.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) if order.log else 2
    job = SandboxJob(Path(order.program), order.command, order.limits, order.environment)
    out = partial(write_all, log if order.connects else 1)
    parent, stopped = os.getppid(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    return await run(
        job,
        url=url,
        stdin=asyncio.subprocess.DEVNULL if order.connects else 0,
        out=out,
        err=partial(write_all, log),
        is_stopped=lambda: stopped.is_set() or os.getppid() != parent,
    )


def _append(path: Path, line: bytes) -> None:
    """Append a line in one call, since several runs may share the file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, line)
    os.close(descriptor)


if __name__ == "__main__":
    main()
