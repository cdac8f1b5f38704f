"""Drill: from nothing to a rated game, in every language that has a starter.

    python -m tests.drills.newcomer --language go --language java

For each language it runs ``mancala new`` and then the commands of the README that was written, as a
newcomer copies them, against a server with a ladder and house bots. With ``--install`` it runs the
commands that install Debian packages, too; with ``--fresh`` the newcomer has an empty home, and
``mancala`` from a wheel in an environment of its own. It fails when the first rated game takes more
than three minutes, or when a game of the newcomer ends otherwise than by the rules.
"""

import asyncio
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from signal import SIGKILL
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import urlencode
from urllib.request import urlopen

import typer

from mancala.bot.starters import LANGUAGES
from mancala.protocol import codec
from mancala.protocol.messages import Reason
from mancala.scripts.console import output as console
from tests.drills.hosting import temporary_host
from tests.drills.report import DrillReport, command_line, for_each
from tests.sources import ROOT

ALLOWED_S: Final = 180.0
LOOK_S: Final = 0.1
INSTALL: Final = "apt-get"
SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HOMES: Final = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "GOPATH", "GOCACHE")
"""What points elsewhere than to the home."""
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SETTINGS: Final = """\
http_port = 0
[mqtt]
private_broker = false
[[ladder]]
name = "main"
clock = { move_ms = 5000 }
[ladder.house]
house-random = "random"
house-greedy = "greedy"
"""


class CommandError(Exception):
    """A command of a README failed; the message has its output."""


class ReadmeSteps(NamedTuple):
    """What a README says to do."""

    install: tuple[str, ...]
    build: tuple[str, ...]
    play: str


def course(folder: Path) -> ReadmeSteps:
    *blocks, play = [block.strip() for block in BLOCK.findall((folder / "README.md").read_text())]
    return ReadmeSteps(
        install=tuple(block for block in blocks if INSTALL in block),
        build=tuple(block for block in blocks if INSTALL not in block),
        play=play,
    )


def present_environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


async def fresh_environment(folder: Path) -> dict[str, str]:
    """Return an environment with an empty home and ``mancala`` from a wheel, without extras."""
    present, venv, home = present_environment(), folder / "venv", folder / "home"
    home.mkdir()
    await run(f"python -m hatchling build -t wheel -d {folder}", ROOT, present)
    await run(f"python -m venv {venv} && {venv}/bin/pip install -q {folder}/*.whl", folder, present)
    kept = {key: value for key, value in os.environ.items() if key not in HOMES}
    return {**kept, "HOME": str(home), "PATH": f"{venv}/bin:{SYSTEM_PATH}"}


async def write(
    language: str, name: str, folder: Path, url: str, env: Mapping[str, str] | None = None
) -> ReadmeSteps:
    command = f"mancala new {name} --lang {language} --dir {folder} --url {url}"
    await run(command, folder.parent, env)
    return course(folder)


async def run(command: str, folder: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a command in a shell; return what it printed."""
    process = await asyncio.create_subprocess_shell(
        command,
        cwd=folder,
        env=present_environment() if env is None else env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        printed, _ = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, SIGKILL)
        await process.communicate()  # what is left, so that the pipe closes
    if process.returncode != 0:
        raise CommandError(f"{command} ended with {process.returncode}:\n{printed.decode()}")
    return printed.decode()


async def games_on(api: str, **of: str) -> list[dict[str, Any]]:
    """Return the last 200 finished games of a server's API, of a bot or a ladder, latest first."""
    query = urlencode({**of, "status": "over", "limit": 200})
    return list((await asyncio.to_thread(_get, f"{api}/api/v1/games?{query}"))["games"])


def counts(game: Mapping[str, Any]) -> bool:
    return bool(game["rated"]) and game["reason"] == Reason.NORMAL


def _get(url: str) -> Any:  # noqa: ANN401  # JSON
    with urlopen(url, timeout=ALLOWED_S) as response:  # noqa: S310  # the drill's own server
        return codec.from_json(response.read(), dict[str, Any])


async def newcomer(  # all that a newcomer finds
    language: str,
    folder: Path,
    url: str,
    api: str,
    *,
    install: bool = False,
    env: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Take part with a starter; return the seconds that each step took, and the games."""
    name = f"newcomer-{language}"
    env = {**(env or present_environment()), "XDG_STATE_HOME": str(folder)}
    began = time.monotonic()
    steps = await write(language, name, folder / name, url, env)
    written = time.monotonic()
    for command in steps.install if install else ():
        await run(command, folder / name, env)
    installed = time.monotonic()
    for command in steps.build:
        await run(command, folder / name, env)
    built = time.monotonic()
    playing = asyncio.create_task(run(steps.play, folder / name, env))
    while not (await games_on(api, bot=name) or playing.done()):
        await asyncio.wait((playing,), timeout=LOOK_S)
    rated = time.monotonic()
    await playing
    games = await games_on(api, bot=name)
    return {
        "new_s": round(written - began, 2),
        "install_s": round(installed - written, 2),
        "build_s": round(built - installed, 2),
        "first_game_s": round(rated - built, 2),
        "all_s": round(rated - began, 2),
        "games": len(games),
        "counting": sum(map(counts, games)),
    }


async def drill(
    languages: Sequence[str], *, install: bool = False, fresh: bool = False
) -> DrillReport:
    with temporary_host(SETTINGS) as place:
        folder = place.folder
        env = await fresh_environment(folder) if fresh else None
        async with place.running() as life:
            api = life.arena.http or ""
            figures = {
                language: await newcomer(language, folder, life.url, api, install=install, env=env)
                for language in languages
            }
    return DrillReport(
        drill="newcomer",
        seed=0,
        figures={"languages": figures},
        promises={
            "a rated game within three minutes": for_each(
                each["games"] and each["all_s"] <= ALLOWED_S for each in figures.values()
            ),
            "every game rated and played to its end": for_each(
                0 < each["games"] == each["counting"] for each in figures.values()
            ),
        },
    )


def main(
    *,
    language: Annotated[list[str] | None, typer.Option(help="Only these languages.")] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Run what the READMEs say about packages, as root.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin with an empty home, and mancala from a wheel.")
    ] = False,
) -> DrillReport:
    """Take part with the starters, as a newcomer does."""
    languages = language or list(LANGUAGES)
    if unknown := set(languages) - set(LANGUAGES):
        console.fail(f"no starter in {', '.join(unknown)}; there are {', '.join(LANGUAGES)}")
    try:
        return asyncio.run(drill(languages, install=install, fresh=fresh))
    except CommandError as error:
        console.fail(error, code=console.FAILED)


if __name__ == "__main__":
    command_line(main)
