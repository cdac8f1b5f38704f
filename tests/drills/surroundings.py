"""What surrounds each command: it gives a right answer or one sentence, never a traceback.

The commands are those that ``mancala`` has. ``make surroundings`` walks the whole table, or the
commands that it names; the suite walks a diagonal of it.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import typer
from typer.core import TyperGroup

from mancala.scripts.console.processes.temporary import temporary_folder
from mancala.scripts.mancala import build
from tests.patience import PATIENCE_S
from tests.server.control.operators import kept


class Surrounding(NamedTuple):
    """What surrounds a command.

    Attributes:
        before: what a shell does before.
        around: the program that starts it.
        variables: the variables of the environment that it has besides; None: has not.
        harmless: whether it ends the command as it would end otherwise.
        silent: whether nothing can be printed, so that no command has done its work.
    """

    before: str = ":"
    around: str = ""
    variables: tuple[tuple[str, str | None], ...] = ()
    harmless: bool = False
    silent: bool = False


NOWHERE: Final = "http://127.0.0.1:1"
SOCKS: Final = "socks5://127.0.0.1:1"
PLAIN: Final = Surrounding(harmless=True)
SURROUNDINGS: Final = {
    "full": Surrounding("exec >/dev/full 2>/dev/full", silent=True),
    "full output": Surrounding("exec >/dev/full", silent=True),
    "closed streams": Surrounding("exec <&- >&- 2>&-", harmless=True),
    "a reader that is gone": Surrounding("exec > >(true)"),
    "ASCII": Surrounding(
        variables=(("LC_ALL", "C"), ("PYTHONUTF8", "0"), ("PYTHONIOENCODING", "ascii")),
        harmless=True,
    ),
    "a locale that is missing": Surrounding(variables=(("LC_ALL", "xx_YY.UTF-8"),), harmless=True),
    "a folder that is gone": Surrounding('mkdir gone; cd gone; rmdir "$PWD"'),
    "a folder that is closed": Surrounding("umask 0777", harmless=os.geteuid() == 0),
    "a disk that is read only": Surrounding(around="bwrap --ro-bind / / --dev /dev --proc /proc"),
    "no home": Surrounding(
        variables=tuple((f"XDG_{kind}_HOME", "/dev/null/x") for kind in ("STATE", "CACHE"))
    ),
    "an unknown user": Surrounding(
        around="bwrap --dev-bind / / --unshare-user --uid 4711 --gid 4711",
        variables=(("HOME", None), ("USER", None), ("LOGNAME", None)),
        harmless=True,
    ),
    "a proxy": Surrounding(
        variables=(("http_proxy", NOWHERE), ("https_proxy", NOWHERE), ("all_proxy", SOCKS)),
        harmless=True,
    ),
    "a narrow terminal": Surrounding(variables=(("COLUMNS", "1"), ("TERM", "dumb")), harmless=True),
}
NOBODY: Final = "ws://127.0.0.1:1"
SMALL: Final = "--rules kalah:pits=2,seeds=2"
WORDS: Final = {
    "demo": "--games 1",
    "new": "mybot --lang python",
    **dict.fromkeys(("bot", "list", "levels", "reviewer", "kgp", "mcp"), NOBODY),
    "check-bot": "ws://127.0.0.1:0",
    "next": f"{NOBODY} ann",
    "front": "tls://127.0.0.1:1 --token none --port 0",
    "spec": "schemas",
    "play-bots": "random greedy --movetime 0.1",
    "perft": "3",
    "analyze": "--depth 4",
    "solve": "--pits 2 --seeds 2",
    "prove": "kalah:2,2 --dir proof",
    "match": "random greedy --games 2",
    "tournament": "random greedy --games 2 --dir event",
    "rate": "random --games 2 --positions 0",
    "openings": "o.json --count 1 --tries 1 --think 1000",
    "tune": "--play --generations 1 --population 4 --games 4 --nodes 1",
    "dataset": "positions --hard --positions 1",
    "serve": "",
    "endgame build": SMALL,
    "endgame probe": "<2,0,0,1,0,0,1>",
    "endgame verify": f"{SMALL} --samples 5",
    "endgame count": SMALL,
    "endgame export": f"tables {SMALL}",
    "archive export": "main main.jsonl",
    "store copy": "server.sqlite3 copy.sqlite3",
    "admin notice": "Hello.",
    "admin ban": "eve",
    "admin rename": "ann ada",
    "admin annul": "--bot ann",
    "admin undo": "1",
    "event grant": "final ann helper",
    "event new": "cup --format rr --entrants ann,bob",
    "event result": "final ann win",
    "event pair": "final ann bob 1",
    "event bye": "final ann 1",
    "event export": "final final.json",
    "course": ".",
    "host": ".",
    "import": "games.txt",
    "backup": "copy",
    "classics opponents": "--games 1",
    "classics depth": "--depth 3 --unpruned 2",
    "learn cutoffs": "((3_?)_(2_1))",
    "learn errors": "--positions 5 --depth 1",
    "learn nodes": "--depth 2",
    "learn td": "--games 4",
}
"""What a command is given that does not do without; a blank in a word is written ``_``."""
FOUND: Final = {"ladder": "main", "bot": "ann", "event": "final", "name": "ann"}
"""Names in the store; what else a command asks for is ``none``."""
DOCTOR: Final = "doctor"
"""The command that judges its surroundings."""
LASTING: Final = ("serve", "front", "web", "bot", "levels", "reviewer", "analyst", "check-bot")
ENDS_S: Final = 900.0
"""When a command hangs: one without a cache compiles, also on a busy machine."""
LASTS_S: Final = 20.0
"""When a command that lasts is ended."""
UNENDED: Final = 124
"""The code of a command that did not end, as of `timeout`."""
FAULTS: Final = ("Traceback", "Exception ignored", "Warning:")
DONE: Final = 0
ANSWERS: Final = {DONE, 1, 2, -signal.SIGTERM}


def commands() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, each in typer.main.get_group(build()).commands.items():
        if isinstance(each, TyperGroup):
            found |= {f"{name} {below}": command for below, command in each.commands.items()}
        else:
            found[name] = each
    return found


def words_of(name: str, command: Any) -> list[str]:  # noqa: ANN401  # by typer's version
    given = WORDS.get(name)
    if given is None:
        needed = [each for each in command.params if each.required and each.name != "config"]
        given = " ".join(FOUND.get(each.name, "none") for each in needed)
    takes = {option for each in command.params for option in each.opts}
    settings = ["--config", "arena.toml"] if "--config" in takes else []
    return [*name.split(), *(word.replace("_", " ") for word in given.split()), *settings]


def fault(words: list[str], surrounding: Surrounding, desk: Path, usual: int | None = None) -> str:
    """Run a command in a surrounding and a copy of a desk.

    Returns:
        What it printed if that is no answer to a person, or if its code is not the usual one where
        nothing forbids that; else nothing.
    """
    with temporary_folder("surroundings") as place:
        folder = shutil.copytree(desk, place / "desk")
        code, said = _run(words, surrounding, folder)
    is_usual = code == usual or not surrounding.harmless or words[0] == DOCTOR
    is_known = code in ANSWERS and (usual is None or is_usual)
    is_answer = is_known and not (surrounding.silent and code == DONE and usual == DONE)
    has_run = not said.startswith("bwrap:")  # a system may bar what it does
    is_good = is_answer and has_run and not any(each in said for each in FAULTS)
    return "" if is_good else f"{code}: {said}"


def _run(words: list[str], surrounding: Surrounding, folder: Path) -> tuple[int, str]:
    around = surrounding.around.split()
    program = [*around, sys.executable, "-P", "-m", "mancala", *words]
    home = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    variables: dict[str, str | None] = {
        **os.environ,
        "HOME": str(folder),
        "XDG_CACHE_HOME": home,
        **dict(surrounding.variables),
    }
    with subprocess.Popen(
        ["/bin/bash", "-c", f'{surrounding.before}; exec "$@"', "shell", *program],
        cwd=folder,
        env={name: value for name, value in variables.items() if value is not None},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as run:
        try:
            said = run.communicate(timeout=LASTS_S if words[0] in LASTING else ENDS_S)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGTERM)
            said = run.communicate(timeout=PATIENCE_S)
            if words[0] not in LASTING:
                return UNENDED, "".join(said)
            if run.returncode == DONE:  # how far it was by then is a matter of speed
                return -signal.SIGTERM, "".join(said)
    return run.returncode, "".join(said)


def walk(words: list[str], desk: Path) -> int:
    """Run a command in each surrounding, print how it went, and return how many faults there are.

    What is not usual there is compared with how it ends on a plain machine.
    """
    with temporary_folder("surroundings") as place:
        usual, said = _run(words, PLAIN, Path(shutil.copytree(desk, place / "desk")))
    is_good = usual in ANSWERS and not any(each in said for each in FAULTS)
    faults = {"plain": "" if is_good else said or "no word"}
    prints = bool(said)
    for name, surrounding in SURROUNDINGS.items():
        if surrounding.silent and not prints:
            continue
        faults[name] = fault(words, surrounding, desk, usual)
    for name, said in faults.items():
        line = f"{'FAULT' if said else 'good '} {' '.join(words)} ({usual}) | {name} {said}"
        print(line, flush=True)  # noqa: T201  # a drill
    return sum(map(bool, faults.values()))


def make_desk(folder: Path) -> Path:
    (folder / "teams" / "ada").mkdir(parents=True)
    (folder / "course.toml").write_text("positions = 1\ngames = 0\n")
    (folder / "games.txt").write_text("2 5 1\n")
    settings = asyncio.run(kept(folder))
    here = settings.read_text().replace(f"{folder}/", "")
    settings.write_text(f"port = 0\nhttp_port = 0\n{here}")
    return folder


def main(named: list[str]) -> int:
    """Walk the table of these commands, or of all; return how many faults there are."""
    lines = [words_of(*each) for each in commands().items() if not named or each[0] in named]
    with temporary_folder("surroundings") as place, ThreadPoolExecutor(os.cpu_count()) as pool:
        desk = make_desk(place / "desk")
        return sum(pool.map(lambda words: walk(words, desk), lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
