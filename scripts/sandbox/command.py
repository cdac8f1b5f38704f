"""The command line of bubblewrap for a job: what a program sees, as a pure function.

It sees, read-only, the folders of the toolchains, libraries that were installed for it, and its own
files under ``/program``. It may write in ``/work``, where its files are copied, and in ``/tmp``;
both are in memory and bounded. It has namespaces of its own for users, processes, network, shared
memory, host name and control groups, an empty environment, no terminal, and no way to new
namespaces or privileges.

The kernel counts the processes of a user within a namespace, but never bounds root's. So under root
the sandbox is made in two steps: root's bubblewrap builds the view and becomes a user of no one,
whose bubblewrap makes the namespaces. Under any other user one step does both. Either way the
outermost bubblewrap has a namespace of processes, so all of them end with it, and it with its host.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from .limits import MIB, SandboxLimits

WORK: Final = "/work"
TEMPORARY: Final = "/tmp"  # noqa: S108  # the sandbox's own, not the host's
PROGRAM: Final = "/program"
PYTHON: Final = "python"
NODE: Final = "node_modules"
JAVA: Final = "java"
LIBRARIES: Final = (PYTHON, NODE, JAVA)
"""The folders of installed libraries, each as its language's installer leaves it."""
INSTALLED: Final = "/installed"
NO_USER: Final = "65533"
"""The user and group that run programs under root; no account of Debian's has this number."""
BASE: Final = MappingProxyType(
    {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": TEMPORARY,
        "TMPDIR": TEMPORARY,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
)
"""The environment of every job."""


class ShownPath(NamedTuple):
    """A folder or file that a sandbox shows.

    Attributes:
        source: what it shows, read-only; None for an empty folder; text for a symbolic link.
    """

    path: str
    source: Path | str | None


@dataclass(frozen=True, slots=True)
class Host:
    """What of the machine matters to a sandbox.

    Attributes:
        python: the interpreter that starts the program inside.
        packages: where Python finds this package and its own, outside of a sandbox.
    """

    is_root: bool
    python: str
    views: tuple[ShownPath, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    packages: str = ""


@dataclass(frozen=True, slots=True)
class SandboxJob:
    """A program to run.

    Attributes:
        program: the folder with its files.
        command: a line of the shell, run in a copy of the folder; ``{port}`` stands for the port
            on its own loopback where it finds its server.
        limits: what it may use.
        environment: its variables, beside the usual ones.
        keep: whether its folder is handed back as a tar archive when it has ended well.
    """

    program: Path
    command: str
    limits: SandboxLimits
    environment: Mapping[str, str] = field(default_factory=dict)
    keep: bool = False


class Descriptors(NamedTuple):
    """Open files handed in.

    Attributes:
        channel: the socket that hands out the program's port; None where it has no server.
        system_calls: the filter of system calls; None where there is none for this processor.
        archive: receives the folder of a job that is kept; None where it is not.
    """

    channel: int | None = None
    system_calls: int | None = None
    archive: int | None = None


def sandboxed(job: SandboxJob, host: Host, starter: str, descriptors: Descriptors) -> list[str]:
    """Return the command line that runs a job."""
    view = _view(job, host)
    if host.is_root:
        return [
            *("bwrap", "--die-with-parent", "--unshare-pid", *view, "--bind", "/proc", "/proc"),
            *_CAPABILITIES,
            *("--", *_BECOME_NO_USER, "bwrap", "--bind", "/", "/"),
            *_isolation(job, descriptors),
            *("--", *_starter(job, host, starter, descriptors)),
        ]
    return [
        *("bwrap", *view, *_isolation(job, descriptors), "--remount-ro", "/"),
        *("--", *_starter(job, host, starter, descriptors)),
    ]


def unconfined(
    job: SandboxJob, host: Host, starter: str, descriptors: Descriptors, work: Path
) -> list[str]:
    """Return the command line that runs a trusted job without a sandbox."""
    return _starter(job, host, starter, descriptors, (str(job.program), str(work)))


def environment_of(job: SandboxJob, host: Host) -> dict[str, str]:
    """Return the variables of a job's sandbox, in which bubblewrap itself is to be started.

    The program can read bubblewrap's variables, and others on the machine its command line.
    """
    outside = {} if job.limits.isolated else {"PYTHONPATH": host.packages}
    found = {**BASE, **host.environment, **outside}
    if packages := job.limits.packages:
        place = INSTALLED if job.limits.isolated else packages
        found["PYTHONPATH"] = f"{found.get('PYTHONPATH', '')}:{place}/{PYTHON}".lstrip(":")
        found["CLASSPATH"] = f".:{place}/{JAVA}/*"
        found["NODE_PATH"] = f"{place}/{NODE}"
    return {**found, **job.environment}


_CAPABILITIES: Final = (
    *("--remount-ro", "/", "--cap-drop", "ALL"),
    *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
    *("--cap-add", "CAP_SETPCAP"),
)
_BECOME_NO_USER: Final = (
    *("setpriv", "--reuid", NO_USER, "--regid", NO_USER, "--clear-groups"),
    *("--inh-caps=-all", "--bounding-set=-all"),
)


def _view(job: SandboxJob, host: Host) -> list[str]:
    views = (*host.views, ShownPath(PROGRAM, job.program))
    folders = {str(parent) for view in views for parent in Path(view.path).parents} - {"/"}
    words = ["--dev", "/dev"]
    libraries = _libraries(job.limits.packages)
    folders |= {INSTALLED} if libraries else set()
    for folder in sorted({WORK, TEMPORARY, *folders}):  # else those above a view are root's alone
        words += ["--dir", folder]
    for view in views:
        match view.source:
            case None:
                words += ["--size", "4096", "--tmpfs", view.path]
            case Path():
                words += ["--ro-bind", str(view.source), view.path]
            case str():
                words += ["--symlink", view.source, view.path]
    return words + libraries


def _libraries(packages: str) -> list[str]:
    """Return the words that show what is there of installed libraries.

    ``import`` of Node looks for them above the program's own folder only.
    """
    if not packages:
        return []
    places = [*((name, f"{INSTALLED}/{name}") for name in LIBRARIES), (NODE, f"/{NODE}")]
    return [
        word for name, place in places for word in ("--ro-bind-try", f"{packages}/{name}", place)
    ]


def _isolation(job: SandboxJob, descriptors: Descriptors) -> list[str]:
    size = str(job.limits.disk_mb * MIB)
    words = [
        *("--die-with-parent", "--new-session", "--hostname", "sandbox", "--unshare-user"),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup"),
        *("--disable-userns", "--cap-drop", "ALL", "--dev", "/dev", "--proc", "/proc"),
        *("--size", size, "--tmpfs", WORK, "--size", size, "--tmpfs", TEMPORARY),
        *("--remount-ro", "/dev", "--chdir", WORK),
    ]
    if descriptors.system_calls is not None:
        words += ["--seccomp", str(descriptors.system_calls)]
    return words


def _starter(
    job: SandboxJob,
    host: Host,
    starter: str,
    descriptors: Descriptors,
    folders: tuple[str, str] = (PROGRAM, WORK),
) -> list[str]:
    task = {
        "program": folders[0],
        "work": folders[1],
        "limits": job.limits.for_each_process,
        "command": job.command,
        "channel": descriptors.channel,
        "archive": descriptors.archive,
    }
    return [host.python, "-I", "-S", "-c", starter, json.dumps(task)]
