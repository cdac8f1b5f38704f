"""A program cannot tell by its surroundings whether it is checked, graded, or at play.

One tries to, by all that it can see. It writes a hash of each clue to stderr when it is started,
and then plays. Clues that never are the same twice are left out: clocks, the load of the machine,
and its port on its own loopback.
"""

import asyncio
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from mancala.bot.starters import starter
from mancala.protocol import codec
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import Board
from mancala.scripts.conformance.robot import Times
from mancala.scripts.course.grading import RUNS, Grading, keep_positions
from mancala.scripts.course.settings import CourseSettings
from mancala.scripts.hosting.admission import Admission
from mancala.scripts.hosting.host import HostedFolder
from mancala.scripts.hosting.playing import HostingTerms
from mancala.scripts.hosting.shelf import Shelf
from mancala.scripts.sandbox.limits import SandboxLimits
from tests import node
from tests.drills.newcomer import SETTINGS
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S
from tests.scripts.commands.results import result_of

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
sys.stderr.write("clues " + json.dumps(seen) + "\\n")  # in one write, as a kill may leave half
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


LIMITS = SandboxLimits()
COURSE = CourseSettings(positions=2, games=2, movetime_s=5.0)


async def _checked(folder: Path, *, connects: bool) -> HostedFolder:
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    place = folder / "teams" / NAME
    place.mkdir(parents=True)
    for name, text in program(connects=connects).items():
        (place / name).write_text(text)
    times = Times(move_s=60.0, late_s=PATIENCE_S, come_s=PATIENCE_S)
    only = "hello and welcome" if connects else "the rehearsal"
    host = HostedFolder(folder / "teams", Admission(LIMITS, times, [only]), lambda _: None)
    await host.admit_all()
    (line,) = host.report()
    assert line["good"], line["why"]
    return host


def _version(host: HostedFolder) -> tuple[Shelf, str]:
    shelf = host.shelf_of(NAME)
    assert shelf.current is not None
    return shelf, shelf.current.version


def _clues_of_the_check(host: HostedFolder) -> dict[str, str]:
    shelf, version = _version(host)
    return clues_in((shelf.folder(version) / "log").read_text())


def _clues_of_the_grading(host: HostedFolder, course: Path) -> dict[str, str]:
    kept = [ProvenPosition(n, "early", Board.start().text, {0: 0, 1: -2}) for n in range(2)]
    keep_positions(course, COURSE.season, 7, kept)
    list(Grading(course, COURSE, 7, lambda _: None).graded(host))
    shelf, version = _version(host)
    runs = (shelf.folder(version) / RUNS).read_text().splitlines()
    return clues_in(json.loads(runs[0])["stderr"])


@pytest.mark.parametrize("connects", [False, True])
async def test_a_grading_looks_like_a_check(tmp_path: Path, *, connects: bool) -> None:
    """Its words, environment, files, limits, processes and open files are the same."""
    host = await _checked(tmp_path, connects=connects)
    checked = _clues_of_the_check(host)
    assert _clues_of_the_grading(host, tmp_path) == checked


async def test_play_looks_like_a_check(tmp_path: Path) -> None:
    """On another ladder, and where its bot has a token, too."""
    host = await _checked(tmp_path, connects=False)
    checked = _clues_of_the_check(host)
    club_folder = tmp_path / "club"
    club_folder.mkdir()
    store = str(club_folder / "arena.sqlite3")
    async with hosted(club_folder, SETTINGS) as club:
        issued = await asyncio.to_thread(result_of, "token", "new", NAME, "--store", store)
        # It is let in and plays: who is refused may be ended before it has looked about.
        tokens = {NAME: issued["token"]}
        terms = HostingTerms(url=club.url, ladder="main", games=1, limits=LIMITS, tokens=tokens)
        await host.play_once(terms)
    (line,) = host.report()
    assert line["runs"][0]["exit_code"] == 0, line["runs"]
    assert clues_in(line["runs"][0]["stderr"]) == checked
