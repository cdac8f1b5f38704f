"""What the documents say is true: their blocks run, their settings parse, their links lead on."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from server.config import settings as config
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "HACKING.md", "CHANGELOG.md")
README = (ROOT / "README.md").read_text()
ANYTHING = "…"


def blocks(language: str) -> list[str]:
    """Find the README's blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def sessions() -> list[tuple[str, str]]:
    """Find every command of the console blocks, with what it is said to print."""
    found = []
    for block in blocks("console"):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = session.partition("\n")
            found.append((command, printed))
    return found


def pattern(printed: str) -> str:
    """Turn a transcript into a pattern; an ellipsis stands for anything."""
    return ".*".join(re.escape(part) for part in printed.strip("\n").split(ANYTHING))


@pytest.mark.parametrize(("command", "printed"), sessions())
def test_the_readmes_commands_print_what_it_says(command: str, printed: str) -> None:
    """Every console block is run."""
    ours = command.replace("mancala", f"{sys.executable} -m scripts.mancala", 1)
    out = subprocess.check_output(ours, shell=True, text=True)  # noqa: S602  # as one types it
    assert re.fullmatch(pattern(printed), out.strip("\n"), re.DOTALL), out


@pytest.mark.parametrize("program", blocks("python"))
async def test_the_readmes_bot_plays_on_a_live_server(program: str, tmp_path: Path) -> None:
    """The fifteen lines, against the opponent that the text proposes."""
    async with (
        asyncio.timeout(PATIENCE_S),
        hosted(tmp_path) as host,
        host.bot("greedy", "--player", "greedy"),
    ):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program.replace("ws://127.0.0.1:8765", host.url)),
            stdout=asyncio.subprocess.PIPE,
            env={"XDG_STATE_HOME": str(tmp_path)},
        )
        out, _ = await process.communicate()
    assert process.returncode == 0
    assert len(re.findall(r"^greedy \(\d+, \d+\) (?:not )?won$", out.decode(), re.MULTILINE)) == 2


def test_the_readmes_bot_is_no_longer_than_it_says() -> None:
    """Fifteen lines are fifteen lines; empty ones do not count."""
    (program,) = blocks("python")
    assert len([line for line in program.splitlines() if line.strip()]) <= 15


@pytest.mark.parametrize("settings", blocks("toml"))
def test_the_readmes_settings_are_settings(settings: str) -> None:
    """A configuration that is shown can be used."""
    config.parse(settings)


@pytest.mark.parametrize("command", "".join(blocks("sh")).splitlines())
def test_the_readmes_targets_exist(command: str) -> None:
    """What is to be made can be made."""
    _, target = command.split()
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_between_files_lead_somewhere(document: str) -> None:
    """No document points at a file that is not there."""
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / document).read_text())
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_documentation_renders_without_a_warning(tmp_path: Path) -> None:
    """`make docs` succeeds: every reference resolves and every docstring is well formed."""
    folders = (str(tmp_path / "doctrees"), str(ROOT / "docs"), str(tmp_path / "pages"))
    options = ("-q", "-W", "--keep-going", "-d")
    subprocess.check_call([sys.executable, "-m", "sphinx", *options, *folders])
    assert "A bot in fifteen lines" in (tmp_path / "pages" / "tour.html").read_text()
