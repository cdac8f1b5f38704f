"""``mancala new``: write a starter bot into a folder of its own."""

import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from ...console import output as console
from ...console.options import JsonOption
from ...console.seat import expect_name

VERSION: Final = "0.1"
VERSIONS: Final = re.compile(r"[A-Za-z0-9_.@+-]{1,32}")
SHORT: Final = {
    "js": "javascript",
    "py": "python",
    "golang": "go",
    "rb": "ruby",
    "rs": "rust",
    "c#": "csharp",
    "cs": "csharp",
}


def command(
    name: Annotated[
        str, typer.Argument(help="The bot's name, and its folder's; asked for if it is missing.")
    ] = "",
    *,
    version: Annotated[
        str | None,
        typer.Option(help="The bot's version; a ladder rates each by itself. [default: 0.1]"),
    ] = None,
    lang: Annotated[
        str,
        typer.Option(
            "--lang",
            "--language",
            help="One of c, csharp, go, java, javascript, python, ruby, rust.",
        ),
    ] = "python",
    folder: Annotated[
        Path | None, typer.Option("--dir", help="The folder to make; by default ./NAME.")
    ] = None,
    url: Annotated[
        str, typer.Option(help="The server's address, for the README.")
    ] = "ws://127.0.0.1:8765",
    ladder: Annotated[str, typer.Option(help="The ladder to join, for the README.")] = "main",
    repository: Annotated[
        bool,
        typer.Option(
            "--repository",
            help="Also write workflows for forges, which check and rate the bot on each push, and "
            "a Containerfile.",
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Write a starter bot, with a README of the commands that build it and let it play."""
    from mancala.bot.starters import BESIDE, LANGUAGES, starter, workflows

    if not name:
        if not sys.stdin.isatty():
            console.fail("the bot needs a name: mancala new NAME")
        name = typer.prompt("The bot's name", err=True)
        version = version or typer.prompt("Its version", default=VERSION, err=True)
    version = version or VERSION
    if not VERSIONS.fullmatch(version):
        console.fail(f"{version!r} cannot be a version: use at most 32 letters, digits and _.@+-")
    expect_name(name)
    language = SHORT.get(lang.lower(), lang.lower())
    if language not in LANGUAGES:
        console.fail(f"no starter in {lang!r}; there are {', '.join(LANGUAGES)}")
    place = folder or Path(name)
    written = dict(starter(language, name=name, version=version, url=url, ladder=ladder))
    if language == "javascript":
        page = files("mancala.server.web.static")
        written |= {each: page.joinpath(each).read_text(encoding="utf-8") for each in BESIDE}
    if repository:
        written |= workflows(written["README.md"])
    _write(place, written)
    paths = [str(place / each) for each in sorted(written)]
    result = {
        "name": name,
        "version": version,
        "language": language,
        "folder": str(place),
        "files": paths,
    }
    console.show(result, f"{place} is ready; {place / 'README.md'} says how it plays.", json=json)


def _write(place: Path, texts: dict[str, str]) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
        if any(place.iterdir()):
            console.fail(f"{place} is not empty; choose another name, or a folder by --dir")
        for name, text in texts.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text, encoding="utf-8")
    except OSError as error:
        console.fail(f"{place}: {error.strerror}")
