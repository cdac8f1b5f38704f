"""``python -m tests.published [NAME…]``: published programs beside our rules, and a table of them.

Each row is a program of others, in its pinned version. It is fetched into a folder of its own below
``build``, plays random games of a preset of ours ply by ply, and is compared in board, turn, end
and result. A row that differs in another way than its declaration says fails; the others are
written anew in ``docs/environments.md``, by a run of all games. ``--newest`` fetches the newest
versions instead, and writes nothing.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from docs import tables
from mancala.protocol.rules import Rules
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.published.comparison import ASPECTS, SAME, Shown, differences, random_game, summary
from tests.sources import ROOT
from tests.world.programs import DEBIAN, NPM, PYPI, UV, ProgramError

PAGE: Final = ROOT / "docs" / "environments.md"
HEADING: Final = "Which published program plays which rules"
PROGRAMS: Final = Path(__file__).with_name("programs")
INSTALLED: Final = ROOT / "build" / "peers"
GAMES: Final = 1000
"""Of each program in the table."""
SLOW: Final = 33
"""Of how many games a slow program plays one."""
WORDS: Final = re.compile(r"mancala|kalah|\boware\b|awari", re.IGNORECASE)


class PublishedProgram(NamedTuple):
    """One program of the table.

    Attributes:
        registry: where its package comes from.
        package: the package with its version.
        file: what replays its games, in `PROGRAMS`; empty where no file of it names the game.
        differs: the aspects in which it differs from our rules.
        how: how to play against it.
        needs: packages that are installed before it, which is then installed without its own.
        share: of how many games it plays one.
        rules: the rules of ours that it is compared with.
    """

    registry: str
    package: str
    file: str
    differs: frozenset[str]
    how: str
    needs: tuple[str, ...] = ()
    share: int = 1
    rules: str = "kalah"


NOTHING: Final[frozenset[str]] = frozenset()
OTHER: Final = frozenset({"board"})
"""What another game differs in: its board, beyond which nothing is compared."""
GYM: Final = ("numpy==1.26.4", "gym==0.26.2", "texttable==1.7.0")
"""What wants a gym of 2020, which no present setuptools builds, needs no more than the name of."""


def _without(package: str) -> PublishedProgram:
    return PublishedProgram(PYPI, package, "", NOTHING, "")


PUBLISHED: Final = {
    "OpenSpiel, `mancala`": PublishedProgram(
        *(PYPI, "open_spiel==2.0.2", "openspiel.py", NOTHING),
        "its bots as `openspiel:FILE.py:NAME`, its searches as `openspiel-mcts` and "
        "`openspiel-alphabeta`; ours there as `ArenaBot`",
    ),
    "Kaggle, `open_spiel_mancala`": PublishedProgram(
        *(PYPI, "kaggle-environments==1.33.2", "kaggle.py", NOTHING),
        "its agents as `kaggle:FILE.py`",
        share=SLOW,
    ),
    "Debian's `mancala`": PublishedProgram(
        *(DEBIAN, "mancala==1.0.3-1+b1", "debian.py", NOTHING),
        "`debian-mancala:level=3`, with `--openings start`",
    ),
    "ludorum": PublishedProgram(
        *(NPM, "@creatartis/ludorum-game-mancala==0.1.1", "ludorum.cjs", NOTHING), "no adapter"
    ),
    "PyPI's `mancala`": PublishedProgram(
        *(PYPI, "mancala==0.3.0", "pypi_mancala.py", frozenset({"turn", "end", "result"})),
        *("no adapter", GYM),
    ),
    "PyPI's `mangala`": PublishedProgram(
        *(PYPI, "mangala==1.0.0", "pypi_mangala.py", NOTHING, "no adapter"),
        rules="mangala:empty_takes=false",
    ),
    "OpenSpiel, `oware`": PublishedProgram(
        *(PYPI, "open_spiel==2.0.2", "oware.py", NOTHING, "no adapter"), rules="oware"
    ),
    "easyAI, Awele": PublishedProgram(
        *(PYPI, "easyAI==2.0.12", "easyai_awele.py", OTHER, ""), rules="oware"
    ),
    "gym-togyzkumalak": PublishedProgram(
        PYPI, "gym-togyzkumalak==0.0.2", "togyzkumalak.py", OTHER, "", needs=GYM
    ),
    "textarena": _without("textarena==0.7.4"),
    "reasoning-gym": _without("reasoning-gym==0.1.25"),
    "pgx": _without("pgx==2.6.0"),
    "PettingZoo": _without("pettingzoo==1.27.0"),
}


def output(*command: str | Path, given: str = "", folder: Path | None = None) -> str:
    """Run a command; return what it printed, or raise a `ProgramError`."""
    done = subprocess.run(
        command, input=given, capture_output=True, text=True, cwd=folder, check=False
    )
    if done.returncode:
        raise ProgramError(f"{' '.join(map(str, command))}: {done.stderr[-1000:]}")
    return done.stdout


def fetched(program: PublishedProgram, *, newest: bool) -> tuple[Path, str]:
    name, version = program.package.split("==")
    folder = INSTALLED / re.sub(r"\W+", "-", name + ("-newest" if newest else f"-{version}"))
    folder.mkdir(parents=True, exist_ok=True)
    wanted = name if newest else f"{name}=={version}"
    if program.registry == DEBIAN:
        output("apt-get", "download", name if newest else f"{name}={version}", folder=folder)
        package = max(folder.glob("*.deb"), key=lambda each: each.stat().st_mtime)
        output("dpkg", "-x", package, folder)
        return folder, output("dpkg-deb", "-f", package, "Version").strip()
    if program.registry == NPM:
        npm = f"{name}@{'latest' if newest else version}"
        output("npm", "install", "--silent", "--prefix", folder, npm)
        about = folder / "node_modules" / name / "package.json"
        return folder, json.loads(about.read_text())["version"]
    python = folder / "bin" / "python"
    if not python.exists():
        output(UV, "venv", "--quiet", "--clear", "--python", sys.executable, folder)
    install = (UV, "pip", "install", "--quiet", *(("--upgrade",) if newest else ()))
    install = (*install, "--python", python)
    if program.needs:
        output(*install, *program.needs)
    output(*install, *(("--no-deps",) if program.needs or not program.file else ()), wanted)
    asking = f"from importlib.metadata import version; print(version({name!r}))"
    return folder, output(python, "-I", "-c", asking).strip()


def replayed(
    program: PublishedProgram, folder: Path, games: list[list[tuple[int, int]]]
) -> list[list[Shown]]:
    given = "".join(f"{json.dumps(each)}\n" for each in games)
    file = PROGRAMS / program.file
    if program.registry == NPM:
        command: tuple[str | Path, ...] = ("node", file, folder)
    else:
        python = folder / "bin" / "python" if program.registry == PYPI else Path(sys.executable)
        command = (python, "-I", PROGRAMS / "loop.py", file, folder)
    lines = output(*command, given=given).splitlines()
    return [[Shown(*each) for each in json.loads(line)] for line in lines if line.startswith("[[")]


def naming(folder: Path, package: str) -> list[str]:
    (site,) = folder.glob("lib/python*/site-packages")
    (record,) = site.glob(f"{re.sub(r'[-_.]+', '_', package)}-*.dist-info/RECORD")
    files = [line.rsplit(",", 2)[0] for line in record.read_text().splitlines()]
    return [
        each
        for each in files
        if WORDS.search(each)
        or (each.endswith((".py", ".md", ".json")) and WORDS.search((site / each).read_text()))
    ]


def tried(name: str, seed: int, games: int, *, newest: bool) -> tuple[tuple[str, ...], bool]:
    program = PUBLISHED[name]
    folder, version = fetched(program, newest=newest)
    package = program.package.split("==")[0]
    source = f"{program.registry} `{package}` {version}"
    if not program.file:
        found = naming(folder, package)
        words = f"named in {found[0]}" if found else "no game of this family inside"
        return (source, words, "", "", "", "none", ""), not found
    rng, rules = random.Random(seed), Rules.parse(program.rules)
    played = [random_game(rng, rules) for _ in range(max(1, games // program.share))]
    shown = replayed(program, folder, played)
    pairs = zip(played, shown, strict=True)
    told = summary(differences(moves, positions, rules) for moves, positions in pairs)
    differing = {aspect for aspect in ASPECTS if told[aspect] not in {SAME, ""}}
    ours = "none" if differing else f"`{program.rules}`"
    cells = (f"{source}, {len(played):,} games", *told.values(), ours, program.how)
    return cells, differing == program.differs


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Rows to try; default: all.")] = None,
    *,
    seed: SeedOption = 1,
    games: Annotated[int, typer.Option(min=1, help="Games of each program.")] = GAMES,
    newest: Annotated[bool, typer.Option("--newest", help="The newest versions.")] = False,
) -> DrillReport:
    """Play published programs beside our rules, and write the table of the docs."""
    figures: dict[str, str] = {}
    promises: dict[str, bool] = {}
    for name in names or PUBLISHED:
        try:
            cells, promises[name] = tried(name, seed, games, newest=newest)
        except (ProgramError, OSError) as error:
            cells, promises[name] = (f"not tried: {error}",), False
        figures[name] = "; ".join(cells[:5])
        typer.echo(f"{name}: {figures[name]}", err=True)
        if promises[name] and games == GAMES and not newest:
            PAGE.write_text(tables.with_row(PAGE.read_text(), HEADING, (name, *cells)))
    return DrillReport("peers", seed, figures, promises)


if __name__ == "__main__":
    command_line(main)
