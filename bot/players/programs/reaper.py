"""A program's parent: runs it, and ends everything that it started.

The host starts ``python -I -S reaper.py PROGRAM ARGUMENT…`` instead of the program. The reaper
passes on the pipes and the exit code, and ends in one of three ways: the program ends, the host
sends SIGTERM, or the host itself ends, even by ``kill -9``. In each case every process below it is
killed: first with SIGTERM, after `PATIENCE_S` with SIGKILL. On Linux the reaper is a *subreaper*:
a process whose parent has ended becomes its child, also one that left the process group and the
session, so none escapes. Elsewhere the program's process group is killed.

It runs alone, with nothing but the standard library, so that a program starts quickly.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress

PATIENCE_S = 0.5
"""Seconds between SIGTERM and SIGKILL."""
LOOK_S = 0.01
"""Seconds between two looks at what is left."""
GIVE_UP_S = 5.0
"""Seconds after which processes that cannot be killed are left behind."""
HOST_CHECK_MS = 1000
"""How often the host is checked where its end cannot be waited for."""
CANNOT_START = 127
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Run the program named on the command line, and exit as it does."""
    host = os.getppid()
    _set_process_control(PR_SET_CHILD_SUBREAPER, 1)
    wake, wake_by = os.pipe()
    for pipe in (wake, wake_by):
        os.set_blocking(pipe, False)
    asked_to_end = False

    def end(*_: object) -> None:
        nonlocal asked_to_end
        asked_to_end = True

    signal.set_wakeup_fd(wake_by, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    program = _start(sys.argv[1:])
    for pipe in (0, 1, 2):
        os.close(pipe)
    poll = _poll(wake, host)
    status = None
    while status is None and not asked_to_end and os.getppid() == host:
        poll.poll(HOST_CHECK_MS)
        with suppress(BlockingIOError):
            os.read(wake, 4096)
        status = _reap(program)
    last = _end_all(program)
    _exit_like(last if status is None else status)


def _start(command: list[str]) -> int:
    """Start the program in a session of its own; it dies with this process."""
    reaper = os.getpid()
    program = os.fork()
    if program:
        return program
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    _set_process_control(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != reaper:
        os._exit(CANNOT_START)  # it ended before its death could be told
    try:
        os.execvp(command[0], command)  # noqa: S606  # what the user asked for
    except OSError as error:
        os.write(2, f"{command[0]} cannot be started: {_why_not(command[0], error)}\n".encode())
    os._exit(CANNOT_START)


def _why_not(program: str, error: OSError) -> str:
    """Return the reason; for a script whose lines end as on Windows the system's is misleading."""
    with suppress(OSError):
        first, _, _ = os.read(os.open(program, os.O_RDONLY), 256).partition(b"\n")
        if first.startswith(b"#!") and first.endswith(b"\r"):
            return "its lines end in CR LF, as on Windows; write them with LF"
    return error.strerror or str(error)


def _poll(wake: int, host: int) -> select.poll:
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    with suppress(AttributeError, OSError):
        poll.register(os.pidfd_open(host), select.POLLIN)
    return poll


def _reap(program: int) -> int | None:
    """Collect every child that ended; return the program's status if it is among them."""
    status = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == program:
                status = ended[1]
    return status


def _end_all(program: int) -> int | None:
    """End every process below this one; return the program's status, if it ends."""
    status = None
    began = time.monotonic()
    number = signal.SIGTERM
    while time.monotonic() - began < GIVE_UP_S:
        for process in (-program, *_descendants()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)
        ended = _reap(program)
        status = status if ended is None else ended
        if not _descendants():
            break
        time.sleep(LOOK_S)
        if time.monotonic() - began > PATIENCE_S:
            number = signal.SIGKILL
    return status


def _descendants() -> list[int]:
    """Return all processes below this one, as /proc has them; none where there is no /proc."""
    children: dict[int, list[int]] = {}
    with suppress(OSError):
        for entry in os.listdir("/proc"):  # noqa: PTH208  # pathlib takes 20 ms to load
            if entry.isdigit():
                with suppress(OSError):
                    children.setdefault(_parent(entry), []).append(int(entry))
    found: list[int] = []
    below = children.get(os.getpid(), [])
    while below:
        found += below
        below = [child for process in below for child in children.get(process, [])]
    return found


def _parent(process: str) -> int:
    with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123  # pathlib takes 20 ms to load
        return int(file.read().rpartition(b")")[2].split()[1])


def _set_process_control(option: int, value: int) -> None:
    """Set a Linux process control; elsewhere do nothing."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415  # there is none to be needed elsewhere

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _exit_like(status: int | None) -> None:
    """End as the program did, by its exit code or by its signal."""
    if status is None:
        os._exit(1)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        import resource  # noqa: PLC0415  # rarely needed

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
