"""One ladder for bots over every way in."""

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

from tests import node
from tests.bot.mcp.model import call, connected
from tests.bot.players.models.fake_endpoint import FakeEndpoint, completion, fake_endpoint, send
from tests.drills.newcomer import counts, games_on, present_environment, run, write
from tests.end_to_end.arena import Hosted, hosted
from tests.patience import WALK_S

GAMES: Final = 30
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
STARTERS: Final = ("c", "python")
"""One that is a program of ``mancala bot``, and one that connects itself; ``test_starters`` plays
each language in a ladder."""
TOOLS: Final = ("awk", "gcc", "make")
LEGAL: Final = re.compile(r"Legal moves: (\d+)")
MOST: Final = re.compile(r"(--games |main )\d+")


async def test_bots_of_all_kinds_play_rated_games_without_a_forfeit(tmp_path: Path) -> None:
    """Two starters, a program in awk, a model, a client of each other protocol, a house bot."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        node.skip(f"not installed: {', '.join(missing)}")
    with fake_endpoint(first_legal) as endpoint:
        await _play_together(tmp_path, endpoint.url)


async def _play_together(folder: Path, endpoint: str) -> None:
    async with asyncio.timeout(WALK_S), hosted(folder, SETTINGS) as club:
        commands = await _prepared(folder, club, endpoint)
        env = {**present_environment(), "XDG_STATE_HOME": str(folder)}
        api, games = club.arena.http or "", dict[str, dict[str, Any]]()
        played = Counter[str]()
        async with asyncio.TaskGroup() as tasks:
            playing: list[asyncio.Task[Any]] = [
                tasks.create_task(run(command, place, env), name=str(place))
                for place, command in commands.items()
            ]
            playing.append(tasks.create_task(_assist(club), name="in-mcp"))
            while len(games) < GAMES or len(played) <= len(playing):
                games |= {game["game"]: game for game in await games_on(api, ladder="main")}
                played = Counter(name for game in games.values() for name in game["players"])
                await asyncio.wait(playing, timeout=LOOK_S)
            for task in playing:
                task.cancel()
    assert len(played) == len(playing) + 1, played
    assert [game for game in games.values() if not counts(game)] == []


def first_legal(endpoint: FakeEndpoint, handler: BaseHTTPRequestHandler) -> None:
    """Answer as a model that reads the question: with the first of its legal moves."""
    question = endpoint.requests[-1]["messages"][0]["content"]
    moves = LEGAL.findall(question) or ["0"]  # what is asked before the first game has none
    send(handler, 200, completion(f'{{"move": {moves[0]}}}'))


async def _assist(club: Hosted) -> None:
    async with connected(club.url, club.arena.http, "in-mcp") as tools:
        status = await call(tools, "start_game", ladder="main", games=100)
        while status["status"] != "idle":
            if status["status"] == "your_turn":
                status = await call(tools, "play", pit=status["legal"][-1])
            else:
                status = await call(tools, "wait")


async def _prepared(folder: Path, club: Hosted, endpoint: str) -> Mapping[Path, str]:
    commands = {}
    for language in STARTERS:
        place = folder / language
        steps = await write(language, f"in-{language}", place, club.url)
        for command in steps.build:
            await run(command, place)
        commands[place] = MOST.sub(r"\g<1>999", steps.play)
    for place in (folder / "awk", folder / "kgp", folder / "llm"):
        place.mkdir()
    (folder / "awk" / "bot.awk").write_text(AWK)
    options = "--name in-awk --ladder main --player 'cmd:awk -W interactive -f bot.awk'"
    commands[folder / "awk"] = f"mancala bot {club.url} {options}"
    options = f"--name in-llm --ladder main --player llm:tiny@{endpoint}"
    commands[folder / "llm"] = f"mancala bot {club.url} {options}"
    (address,) = club.arena.kgp
    commands[folder / "kgp"] = f"mancala kgp {address} --player greedy --name in-kgp"
    return commands
