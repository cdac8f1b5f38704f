"""A program that tries to tell whether it is checked, graded, or at play, by all that it can see.

It writes a hash of each clue to stderr when it is started, and then plays. Clues that never are the
same twice are left out: clocks, the load of the machine, and its port on its own loopback.
"""

import re
from collections.abc import Mapping
from typing import Final

from mancala.bot.starters import starter
from mancala.protocol import codec

NAME: Final = "clues"
LOOK: Final = """
import hashlib, json, os, re, resource, socket, sys
def text(path):
    with open(path, "rb") as file: return file.read().decode(errors="replace")
def tree(top):
    return sorted(os.path.join(place, name) for place, _, names in os.walk(top) for name in names)
def opened(number): return os.readlink(f"/proc/self/fd/{number}").partition(":")[0]
def limits(name): return resource.getrlimit(getattr(resource, name))
seen = {
    "words": sys.argv,
    "environment": dict(os.environ),
    "folder": os.getcwd(),
    "files": [tree(top) for top in ("/work", "/program", "/tmp", "/dev/shm")],
    "written": [os.stat(file).st_mtime for file in tree("/program") if ".py" in file],
    "descriptors": [opened(number) for number in (0, 1, 2)] + [
        number for number in map(str, range(3, 100)) if os.path.exists(f"/proc/self/fd/{number}")
    ],
    "limits": [limits(name) for name in dir(resource) if name.startswith("RLIMIT")],
    "mounts": [line.split()[3:6] for line in open("/proc/self/mountinfo")],
    "processes": {n: text(f"/proc/{n}/cmdline") for n in os.listdir("/proc") if n.isdigit()},
    "host": socket.gethostname(),
    "process": [os.getuid(), os.getgid(), os.getpid(), os.getsid(0), os.getpriority(0, 0)],
    "processors": sorted(os.sched_getaffinity(0)),
}
for name, found in seen.items():
    found = re.sub(r"127[.]0[.]0[.]1:[0-9]+", "", json.dumps(found))
    seen[name] = hashlib.sha256(found.encode()).hexdigest()[:12]
sys.stderr.write("clues " + json.dumps(seen) + "\\n")  # at once, or a kill may leave half of it
"""
ANSWER: Final = """
print("ready", flush=True) if input() else None
for line in sys.stdin:
    board, _, mark = line.split()
    rows = list(map(int, board.strip("<>").split(",")))
    pits = rows[3:3 + rows[0]]
    print(next(pit for pit in range(rows[0]) if pits[pit]), mark, "\\ndone", mark, flush=True)
"""
CONNECT: Final = 'os.execvp("python3", ["python3", "play.py", *sys.argv[1:]])\n'
CLUES: Final = re.compile(r"^clues (\{.*\})$", re.MULTILINE)


def program(*, connects: bool) -> Mapping[str, str]:
    """Return the files of the program.

    Args:
        connects: whether it plays over a socket; it is asked on stdin otherwise.
    """
    seat, protocol = "{url} {name} {ladder} {games}", "websocket" if connects else "cmd"
    manifest = f'name = "{NAME}"\ncommand = "python3 look.py {seat}"\nprotocol = "{protocol}"\n'
    look = LOOK + (CONNECT if connects else ANSWER)
    others = starter("python", name=NAME) if connects else {}
    return {**others, "look.py": look, "bot.toml": manifest}


def clues_in(stderr: str) -> dict[str, str]:
    found = CLUES.search(stderr)
    if found is None:
        raise ValueError(f"no clues in {stderr!r}")
    return codec.from_json(found[1].encode(), dict[str, str])
