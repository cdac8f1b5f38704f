"""Run a Python program that ends when the process that started it ends, even by ``kill -9``.

    python -I -S parent_death.py PARENT COMMAND ARGUMENT…

On Linux the kernel kills it when the thread that started it has ended: a child is started by a
thread that lives as long as its process, as that of the event loop does. The request is made before
the command is loaded, so a child that is still starting dies as well, and no port that it inherited
stays open. It uses SIGKILL, since nothing is left to receive what the command would still do. The
command leads a process group of its own from the start: Ctrl-C reaches only its parent, which ends
it. Not a session: where the kernel shares time by session, niceness would count only within that.
This file runs alone, in ten milliseconds.

A program of a user's bot has :mod:`mancala.bot.players.programs.reaper`, which also ends what that
starts.
"""

import os
import sys

PR_SET_PDEATHSIG = 1
SIGKILL = 9


def ending_with_us(*command: str) -> tuple[str, ...]:
    """Return the command line that runs a Python program until this process ends, at most."""
    return (sys.executable, "-I", "-S", __file__, str(os.getpid()), *command)


def end_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends (Linux only).

    Raises:
        SystemExit: when the parent has ended already.
    """
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415  # there is none to be needed elsewhere

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(1)


if __name__ == "__main__":
    end_with(int(sys.argv[1]))
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606  # what its parent asked for
