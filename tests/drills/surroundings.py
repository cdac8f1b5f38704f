"""What surrounds each command: it gives a right answer or one sentence, never a traceback.

``make surroundings`` walks the whole table; the suite walks a diagonal of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from mancala.scripts.console.processes.temporary import temporary_folder


class Surrounding(NamedTuple):
    """What a shell does before a command, and the variables that it has besides."""

    before: str = ""
    variables: tuple[tuple[str, str], ...] = ()


NOWHERE: Final = "http://127.0.0.1:1"
SURROUNDINGS: Final = {
    "full": Surrounding("exec >/dev/full 2>/dev/full"),
    "full output": Surrounding("exec >/dev/full"),
    "closed streams": Surrounding("exec <&- >&-"),
    "a reader that is gone": Surrounding("exec > >(true)"),
    "ASCII": Surrounding(
        variables=(("LC_ALL", "C"), ("PYTHONUTF8", "0"), ("PYTHONIOENCODING", "ascii"))
    ),
    "a folder that is gone": Surrounding('mkdir gone; cd gone; rmdir "$PWD"'),
    "a folder that is closed": Surrounding("umask 0777"),
    "no home": Surrounding(
        variables=tuple((f"XDG_{kind}_HOME", "/dev/null/x") for kind in ("STATE", "CACHE"))
    ),
    "a proxy": Surrounding(
        variables=(("http_proxy", NOWHERE), ("https_proxy", NOWHERE), ("all_proxy", NOWHERE))
    ),
    "a narrow terminal": Surrounding(variables=(("COLUMNS", "1"), ("TERM", "dumb"))),
}
COMMANDS: Final = (
    *("--version", "--help", "players", "plugins", "spec schemas", "spec asyncapi"),
    *("perft 3", "list ws://127.0.0.1:1", "next ws://127.0.0.1:1 ann", "serve --check-config"),
    *("match random greedy --games 2", "tournament random greedy --games 2 --dir t"),
    *("new mybot --lang python", "review none.json", "import none.txt", "host none"),
    *("course none", "web --config none.toml", "store digest --store none"),
    *("store upgrade --store none", "token new ann --store none", "token list --store none"),
    *(
        "doctor --store none",
        "admin who --store none",
        "backup copy --store none",
        "event list --store none",
    ),
    *("archive export main file --store none", "mcp ws://127.0.0.1:1", "classics list"),
)
FAULTS: Final = ("Traceback", "Exception ignored", "Warning:")


def fault(words: str, surrounding: Surrounding, folder: Path) -> str:
    """Run a command in a surrounding; return what it printed if that is no answer to a person."""
    program = f"exec {sys.executable} -P -m mancala {words}"
    ran = subprocess.run(
        ["/bin/bash", "-c", f"{surrounding.before or ':'}; {program}"],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), **dict(surrounding.variables)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    said = ran.stdout + ran.stderr
    is_known = ran.returncode in {0, 1, 2}
    return "" if is_known and not any(each in said for each in FAULTS) else said or "no word"


def walk() -> Iterator[tuple[str, str, str]]:
    """Yield each command with each surrounding, and its fault, empty for none."""
    for words in COMMANDS:
        for name, surrounding in SURROUNDINGS.items():
            with temporary_folder("surroundings") as folder:
                yield words, name, fault(words, surrounding, folder)


if __name__ == "__main__":
    found = 0
    for words, name, said in walk():
        found += bool(said)
        print(f"{'FAULT' if said else 'good '} {words} | {name}", said, flush=True)  # noqa: T201  # a drill
    sys.exit(found > 0)
