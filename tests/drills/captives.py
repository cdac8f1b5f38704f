"""Hostile programs, each run free and in the sandbox: what hurts here is to fail there.

    python -m tests.drills.captives

Each attack is a short program that says ``hurt`` when it got what it wanted. Free, it is kept small
enough not to harm the machine. Prints a JSON object: by attack, whether it hurt free and captive,
and how the sandbox ended it.
"""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mancala.protocol import codec
from mancala.scripts.hosting.admission import built
from mancala.scripts.hosting.handin import HandInError
from mancala.scripts.hosting.manifest import read_manifest
from mancala.scripts.sandbox.command import SandboxJob
from mancala.scripts.sandbox.limits import SandboxLimits
from mancala.scripts.sandbox.outcome import RunOutcome
from mancala.scripts.sandbox.run import run

LIMITS: Final = SandboxLimits(
    memory_mb=96, cpu_s=60, wall_s=60, processes=40, files=64, output_mb=1, disk_mb=16
)
HURT: Final = "hurt"
HELD_S: Final = 60
"""Seconds for which a captive holds what is only found by looking; it is ended long before."""
SECRET: Final = "the-token-of-another-team"  # noqa: S105  # what the attacks look for
HEAD: Final = """
import json, mmap, os, resource, socket, sys, time
facts = json.loads(sys.argv[1])
def hurt(): print("hurt", flush=True)
def hold(): time.sleep(facts["hold_s"])
"""

BOMBS: Final = {
    "many processes": """
children = []
for _ in range(80):
    child = os.fork()
    if not child: time.sleep(60); os._exit(0)
    children.append(child)
for child in children: os.kill(child, 9)
hurt()
""",
    "memory": "data = bytearray(200 << 20); hurt()",
    "shared memory": """
held = [mmap.mmap(-1, 1 << 20) for _ in range(200)]
for each in held: each.write(b"x" * (1 << 20))
hold(); hurt()
""",
    "memory files": """
files = [os.memfd_create(str(n)) for n in range(40)]
for each in files: os.write(each, b"x" * (5 << 20))
hurt()
""",
    "disk": """
for folder in (".", "/tmp", "/dev/shm", "/"):
    names = [f"{folder}/drill-{os.getpid()}-{n}" for n in range(5)]
    try:
        for name in names: open(name, "wb").write(b"x" * (8 << 20))
        hurt()
    except OSError: pass
    for name in names:
        if os.path.exists(name): os.remove(name)
""",
    "many files": """
try:
    for n in range(21000): open(f"empty-{n}", "w").close()
    hold(); hurt()
finally:
    for n in range(21000): os.remove(f"empty-{n}")
""",
    "endless output": """
for _ in range(32): os.write(1, b"\\x1b]0;owned\\x07" + b"y\\n" * (1 << 16))
hurt()
""",
    "endless work": """
while time.process_time() < facts["work_s"]: pass
hurt()
""",
    "a process left behind": """
begun, running = os.pipe()  # closed by execv
if os.fork():
    os.close(running)
    os.read(begun, 1)
else:
    os.setsid()
    if not os.fork():
        for each in (0, 1, 2): os.close(each)
        os.execv("/bin/sleep", ["sleep", facts["left"]])
""",
}
BUILDS: Final = {
    "a build that works on": ("while :; do :; done", replace(LIMITS, cpu_s=1, wall_s=120)),
    "a build that waits": ("sleep 600", replace(LIMITS, cpu_s=120, wall_s=2)),
}
"""Builds without end, with the limits of which each uses up one, on a busy machine too."""
PATIENCE_S: Final = 0.2
"""A build that goes on for longer than this, where it takes no time, has no end."""
PROBES: Final = """
def probe(name, act):
    try:
        if act() is not False: print(name, flush=True)
    except Exception: pass
def reach(family, address):
    with socket.socket(family) as link: link.connect(address)
def seen(pid): return os.path.exists(f"/proc/{pid}")
def new_namespace():
    import ctypes
    return ctypes.CDLL(None).unshare(0x10000000) == 0
def trace():
    import ctypes
    return ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0
def environment(pid): return b"the-token" in open(f"/proc/{pid}/environ", "rb").read()
def write(path): open(path, "w").write("x")
def through_its_root(pid): return os.path.exists(f"/proc/{pid}/root{facts['secret']}")
probe("the server's file", lambda: open(facts["secret"]).read())
probe("the server's folder", lambda: os.listdir(os.path.dirname(facts["secret"])))
probe("its environment", lambda: environment(facts["pid"]))
probe("its own environment", lambda: "DRILL_TOKEN" in os.environ)
probe("its process", lambda: seen(facts["pid"]))
probe("its root folder", lambda: through_its_root(facts["pid"]))
probe("a handle on it", lambda: os.close(os.pidfd_open(facts["pid"])))
probe("a signal", lambda: os.kill(facts["pid"], 0))
probe("a port", lambda: reach(socket.AF_INET, ("127.0.0.1", facts["port"])))
probe("an abstract socket", lambda: reach(socket.AF_UNIX, "\\0" + facts["abstract"]))
probe("a socket's file", lambda: reach(socket.AF_UNIX, facts["socket"]))
probe("a socket beside the network", lambda: socket.socket(socket.AF_VSOCK))
probe("its own next version", lambda: write(facts["version"]))
probe("another namespace", new_namespace)
probe("tracing", trace)
probe("a name of the host", lambda: os.uname().nodename == facts["host"])
"""


@dataclass(frozen=True, slots=True)
class Victim:
    """What the attacks are aimed at."""

    facts: dict[str, str | int | float]
    folder: Path

    @property
    def next_version(self) -> Path:
        return Path(str(self.facts["version"]))


@contextlib.contextmanager
def victim() -> Iterator[Victim]:
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="drill-")))
        secret, program = place / "secrets" / "token", place / "program"
        secret.parent.mkdir()
        secret.write_text(SECRET)
        program.mkdir()
        sleeper = subprocess.Popen(["/bin/sleep", "600"], env={"DRILL_TOKEN": SECRET})
        stack.callback(sleeper.wait)
        stack.callback(sleeper.kill)
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract, file = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        abstract.bind(f"\0drill-{os.getpid()}")
        file.bind(str(place / "socket"))
        for each in (abstract, file):
            each.listen()
        yield Victim(
            {
                "secret": str(secret),
                "pid": sleeper.pid,
                "port": port.getsockname()[1],
                "abstract": f"drill-{os.getpid()}",
                "socket": str(place / "socket"),
                "version": str(program / "next"),
                "host": socket.gethostname(),
            },
            program,
        )


def free(source: str, target: Victim, **facts: str | float) -> str:
    told = codec.to_json({**target.facts, **facts}).decode()
    done = subprocess.run(
        [sys.executable, "-c", HEAD + source, told],
        cwd=target.folder,
        env={"DRILL_TOKEN": SECRET, "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    return done.stdout.decode(errors="replace")


async def captive(
    source: str, target: Victim, *, limits: SandboxLimits = LIMITS, **facts: str | float
) -> tuple[str, RunOutcome]:
    (target.folder / "attack.py").write_text(HEAD + source)
    (target.folder / "facts").write_bytes(codec.to_json({**target.facts, **facts}))
    printed: list[bytes] = []
    job = SandboxJob(target.folder, 'exec python3 attack.py "$(cat facts)"', limits)
    ended = await run(job, out=printed.append, err=lambda _: None)
    return b"".join(printed).decode(errors="replace"), ended


def left(mark: str) -> Iterator[int]:
    """Yield the processes that have a mark among their words."""
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark.encode() in each.read_bytes().split(b"\0"):
                yield int(each.parent.name)


async def bomb(name: str, target: Victim) -> dict[str, object]:
    """Run an attack free and captive; return whether it hurt, and how the sandbox ended it."""
    source = BOMBS[name]
    mark = f"60{os.getpid()}"
    limits = replace(LIMITS, cpu_s=1) if name == "endless work" else LIMITS
    facts: dict[str, str | float] = {"left": mark, "hold_s": 0, "work_s": 1.5}
    hurt_free = HURT in await asyncio.to_thread(free, source, target, **facts) or any(left(mark))
    for process in left(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    held: dict[str, str | float] = {**facts, "hold_s": HELD_S, "work_s": HELD_S}
    printed, ended = await captive(source, target, limits=limits, **held)
    hurt_captive = HURT in printed.splitlines() or any(left(mark))
    return {"free": hurt_free, "captive": hurt_captive, "ended": ended.ending}


async def build(name: str) -> dict[str, object]:
    """Build a program without end, free and captive; return whether it went on, and what ended it.

    Its author reads the reason, and the version before plays on.
    """
    line, limits = BUILDS[name]
    manifest = read_manifest(f'name = "endless"\ncommand = "./bot"\nbuild = "{line}"'.encode())
    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        free_one = await asyncio.create_subprocess_shell(line, cwd=folder, process_group=0)
        await asyncio.sleep(PATIENCE_S)
        goes_on_free = free_one.returncode is None
        os.killpg(free_one.pid, signal.SIGKILL)
        await free_one.wait()
        try:
            await built({}, manifest, Path(folder, "program"), limits)
        except HandInError as error:
            return {"free": goes_on_free, "captive": False, "ended": str(error)}
    return {"free": goes_on_free, "captive": True, "ended": ""}


async def probes(target: Victim) -> dict[str, list[str]]:
    found_free = await asyncio.to_thread(free, PROBES, target)
    target.next_version.unlink(missing_ok=True)
    printed, _ = await captive(PROBES, target)
    return {"free": found_free.splitlines(), "captive": printed.splitlines()}


async def drill() -> dict[str, object]:
    with victim() as target:
        return {
            "bombs": {name: await bomb(name, target) for name in BOMBS},
            "builds": {name: await build(name) for name in BUILDS},
            "probes": await probes(target),
        }


if __name__ == "__main__":
    sys.stdout.write(codec.to_json(asyncio.run(drill())).decode() + "\n")
