"""``mancala list``, on a running server."""

from pathlib import Path

from mancala.protocol import codec
from mancala.server.config.ladders import LadderSettings
from mancala.server.store.rows.tokens import issue
from tests.scripts.commands.results import mancala_on_a_thread
from tests.server.peers import arena


async def test_the_lists_are_printed(tmp_path: Path) -> None:
    """Ladders by default; as lines, or as one JSON object."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        await running.greet("ann")
        ladders = await mancala_on_a_thread("list", running.url)
        bots = await mancala_on_a_thread("list", running.url, "bots", "--json")
        games = await mancala_on_a_thread("list", running.url, "games", "--json")
    assert ladders.stdout.split("\t")[0] == "main"
    assert "guests may join" in ladders.stdout
    found = codec.from_json(bots.stdout, dict[str, list[dict[str, object]]])
    assert [bot["name"] for bot in found["bots"]] == ["ann"]
    assert codec.from_json(games.stdout, dict[str, list[object]]) == {"games": []}


async def test_a_server_that_is_not_there_is_a_failure() -> None:
    """With code 1 and its address."""
    lost = await mancala_on_a_thread("list", "ws://127.0.0.1:9")
    assert (lost.exit_code, "ws://127.0.0.1:9" in lost.stderr) == (1, True)


async def test_a_server_without_guests_is_listed_with_a_token(tmp_path: Path) -> None:
    """Without one the user reads how; a token without its name is bad input."""
    async with arena(tmp_path, guests=False) as running:
        token = await running.server.store.run(issue, "ann", "2026-01-01T00:00:00Z")
        refused = await mancala_on_a_thread("list", running.url)
        listed = await mancala_on_a_thread(
            "list", running.url, "bots", "--name", "ann", "--token", token
        )
        nameless = await mancala_on_a_thread("list", running.url, "--token", token)
    assert (refused.exit_code, "--name NAME --token TOKEN" in refused.stderr) == (1, True)
    assert listed.exit_code == 0
    assert (nameless.exit_code, nameless.stderr.count("belongs to a name")) == (2, 1)
