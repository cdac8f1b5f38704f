"""The first program inside the sandbox: sets limits, copies the files, and becomes the program.

It is handed to Python as text, so it needs nothing but the standard library. Its one argument is a
JSON object: ``limits`` of each process by name, ``command`` of the shell, ``program``, the folder
with its files, ``work``, the one to which they are copied, ``channel``, a socket through which the
port is handed out on which the program finds its server, or null, and ``archive``, a descriptor to
which the folder is written as a tar archive when the command has ended well, or null.

While the command runs, the archive's descriptor is open in this process only, and none of the
command's may look into it: the kernel lets no process of the same user open the descriptors or the
memory of one that is not dumpable.
"""

import ctypes
import json
import os
import resource
import shutil
import socket
import sys
import tarfile

PORT = "{port}"
BACKLOG = 8
SIGNALS_FROM = 128
PR_SET_DUMPABLE = 4


def main() -> None:
    """Become the program that the argument describes."""
    task = json.loads(sys.argv[1])
    port = _hand_out_port(task["channel"]) if task["channel"] is not None else 0
    _set_limits(task["limits"])
    shutil.copytree(task["program"], task["work"], dirs_exist_ok=True)
    os.chdir(task["work"])
    shell = ["/bin/sh", "-c", task["command"].replace(PORT, str(port))]
    if task["archive"] is None:
        os.execv(shell[0], shell)  # noqa: S606  # what the sandbox is for
    with os.fdopen(task["archive"], "wb") as out:
        os.set_inheritable(task["archive"], False)
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        _run(shell)
        with tarfile.open(mode="w|", fileobj=out) as archive:
            archive.add(".", filter=_whole)
    os._exit(0)


def _hand_out_port(channel: int) -> int:
    """Listen on a port of the sandbox's own loopback; hand the socket to the host."""
    with (
        socket.socket(fileno=channel) as host,
        socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as listener,
    ):
        socket.send_fds(host, [b"."], [listener.fileno()])
        return int(listener.getsockname()[1])


def _set_limits(limits: dict[str, int]) -> None:
    for name, most in limits.items():
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        end = most + (name == "RLIMIT_CPU")  # the signal of its soft limit tells the cause
        end = end if hard == resource.RLIM_INFINITY else min(end, hard)
        resource.setrlimit(number, (min(most, end), end))


def _run(shell: list[str]) -> None:
    """Run a command; exit as it does, unless it ends well."""
    child = os.fork()
    if child == 0:
        os.execv(shell[0], shell)  # noqa: S606  # what the sandbox is for
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        os._exit(code if code > 0 else SIGNALS_FROM - code)


def _whole(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Make a file of several names, as cargo leaves its programs, a file under each of them."""
    if entry.islnk():
        entry.type, entry.linkname = tarfile.REGTYPE, ""
        entry.size = os.stat(entry.name).st_size  # noqa: PTH116  # pathlib would be one more import
    return entry


if __name__ == "__main__":
    main()
