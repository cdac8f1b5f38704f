"""The starters: written by the command, built and run as their READMEs say."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from mancala.bot.starters import LANGUAGES, commands_of
from mancala.protocol import codec
from tests import node
from tests.drills.newcomer import SETTINGS, CommandError, counts, course, games_on, newcomer, run
from tests.end_to_end.arena import Hosted, hosted
from tests.end_to_end.relay import relay
from tests.patience import PATIENCE_S, WALK_S
from tests.sources import ROOT

pytestmark = pytest.mark.asyncio(loop_scope="module")

GORILLA: Final = Path("/usr/share/gocode/src/github.com/gorilla/websocket")
TOOLS: Final = {
    "c": ("gcc", "make"),
    "csharp": ("mcs", "mono"),
    "go": ("go",),
    "java": ("javac", "java"),
    "javascript": ("node", "npm"),
    "python": (),
    "ruby": ("ruby",),
    "rust": ("cargo",),
}
DROPPED_AT_TURN: Final = 4


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def club(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Hosted]:
    """A server with a ladder and house bots."""
    async with hosted(tmp_path_factory.mktemp("club"), SETTINGS) as server:
        yield server


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_starter_plays_resumes_and_keeps_to_the_protocol(
    language: str, club: Hosted, tmp_path: Path
) -> None:
    """It plays rated games, takes its seat back when cut off, leaves, and passes its checks."""
    missing = [tool for tool in TOOLS[language] if shutil.which(tool) is None]
    if missing or (language == "go" and not GORILLA.exists()):
        node.skip(f"not installed: {', '.join(missing) or GORILLA}")
    async with (
        asyncio.timeout(WALK_S),
        relay(club.url, drop_at_turn=DROPPED_AT_TURN) as link,
    ):
        played = await newcomer(language, tmp_path, link.url, club.arena.http or "")
        assert played["games"] == played["counting"] == 4
        assert (link.connections, link.resumed) == (2, 1)
        await _ends_without_a_ladder(tmp_path / f"newcomer-{language}")
        await _says_how_it_is_called(tmp_path / f"newcomer-{language}")
        await _passes_its_checks(tmp_path / f"newcomer-{language}")


async def test_the_bot_of_the_first_page_plays_one_match(club: Hosted, tmp_path: Path) -> None:
    """Cut off in the middle of it, it once began another one, and left that early."""
    text = (ROOT / "protocol" / "SPEC.md").read_text()
    page = tmp_path / "page.py"
    page.write_text(text.partition("```py\n")[2].partition("```")[0])
    async with asyncio.timeout(PATIENCE_S), relay(club.url, drop_at_turn=DROPPED_AT_TURN) as link:
        await run(f"python {page} {link.url} reader main", tmp_path)
        games = await games_on(club.arena.http or "", bot="reader")
    assert link.resumed == 1
    assert [counts(game) for game in games] == [True, True]


async def _ends_without_a_ladder(folder: Path) -> None:
    """Run the README's command with a misspelt ladder; starters once waited there for ever."""
    with pytest.raises(CommandError, match="there is no ladder mian; there are: main"):
        await run(course(folder).play.replace(" main", " mian"), folder)


async def _says_how_it_is_called(folder: Path) -> None:
    """Leave out the last word of the command in the README, then misspell it."""
    without, _, _ = course(folder).play.rpartition(" ")
    for wrong in () if without.startswith("mancala ") else (without, f"{without} two"):
        with pytest.raises(CommandError, match=r"usage: .* URL NAME LADDER ") as error:
            await run(wrong, folder)
        assert len(str(error.value).splitlines()) == 2


async def _passes_its_checks(folder: Path) -> None:
    commands = commands_of((folder / "README.md").read_text())
    await run(commands["test"], folder)
    printed = await run(f"{commands['check']} --movetime 60 --patience 120 --json", folder)
    report = codec.from_json(printed[printed.index('{"bot":') :].splitlines()[0], dict[str, object])
    assert report["failed"] == []
