"""One ladder for bots in every language, over every way in."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bot.starters import LANGUAGES
from scripts.drills.newcomer import counts, games_on, run, write
from tests import node
from tests.end_to_end.arena import Hosted, hosted
from tests.patience import PATIENCE_S

GAMES: Final = 60
LOOK_S: Final = 0.2
SETTINGS: Final = """\
http_port = 0
[kgp]
tcp_port = 0
ladder = "main"
[mqtt]
private_broker = false
[[ladder]]
name = "main"
clock = { move_ms = 60000 }
pulse_s = 0.0
[ladder.house]
house-greedy = "greedy"
"""
AWK: Final = """\
BEGIN { FS = "[<,> ]+" }
{
  for (pit = $2; pit > 0; pit--) if ($(4 + pit) > 0) { print pit - 1; print "done"; break }
  fflush()
}
"""
"""The field after ``<`` is the number of pits; the mover's pits follow both stores. Debian's awk
reads a line as soon as it comes only with ``-W interactive``."""
TOOLS: Final = ("awk", "gcc", "go", "java", "javac", "make", "node", "npm")
MOST: Final = re.compile(r"(--games |main )\d+")


async def test_bots_of_all_languages_play_rated_games_without_a_forfeit(tmp_path: Path) -> None:
    """Five starters, a program in awk, a client of another protocol and a house bot: 60 games."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        node.skip(f"not installed: {', '.join(missing)}")
    async with asyncio.timeout(4 * PATIENCE_S), hosted(tmp_path, SETTINGS) as club:
        commands = await _prepared(tmp_path, club)
        env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
        api, games, played = club.arena.http or "", list[dict[str, Any]](), Counter[str]()
        async with asyncio.TaskGroup() as tasks:
            playing = [
                tasks.create_task(run(command, folder, env), name=str(folder))
                for folder, command in commands.items()
            ]
            while len(games) < GAMES or len(played) <= len(commands):
                games = await games_on(api, ladder="main")
                played = Counter(name for game in games for name in game["players"])
                await asyncio.wait(playing, timeout=LOOK_S)
            for task in playing:
                task.cancel()
    assert len(played) == len(commands) + 1, played
    assert [game for game in games if not counts(game)] == []


async def _prepared(folder: Path, club: Hosted) -> Mapping[Path, str]:
    """Build each bot in a folder of its own; return the commands that let them play."""
    commands = {}
    for language in LANGUAGES:
        place = folder / language
        steps = await write(language, f"in-{language}", place, club.url)
        for command in steps.build:
            await run(command, place)
        commands[place] = MOST.sub(r"\g<1>999", steps.play)
    for place in (folder / "awk", folder / "kgp"):
        place.mkdir()
    (folder / "awk" / "bot.awk").write_text(AWK)
    options = "--name in-awk --ladder main --player 'cmd:awk -W interactive -f bot.awk'"
    commands[folder / "awk"] = f"mancala bot {club.url} {options}"
    (address,) = club.arena.kgp
    commands[folder / "kgp"] = f"mancala kgp {address} --player greedy --name in-kgp"
    return commands
