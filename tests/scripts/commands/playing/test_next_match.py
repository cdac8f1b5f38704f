"""``mancala next``, on a running server."""

from pathlib import Path

from mancala.protocol import codec
from mancala.protocol.messages import Join, Joined
from mancala.server.config.ladders import LadderSettings
from tests.scripts.commands.results import mancala_on_a_thread
from tests.server.peers import arena


async def test_what_a_bot_waits_for_is_printed(tmp_path: Path) -> None:
    """As a line, or as one JSON object; also that it waits for nothing."""
    async with arena(tmp_path, ladder=(LadderSettings(name="main"),)) as running:
        ann = await running.greet("ann")
        await ann.say(Join("main"))
        await ann.hear(Joined)
        line = await mancala_on_a_thread("next", running.url, "ann")
        found = await mancala_on_a_thread("next", running.url, "ann", "--json")
        nothing = await mancala_on_a_thread("next", running.url, "bob")
    assert line.stdout == "ladder main: games left: 2, waits for another bot to join\n"
    answer = codec.from_json(found.stdout, dict[str, object])
    assert (answer["bot"], len(answer["matches"])) == ("ann", 1)  # type: ignore[arg-type]  # a list
    assert nothing.stdout == "bob waits for no match here\n"


async def test_a_server_that_is_not_there_is_a_failure() -> None:
    """With code 1 and its address."""
    lost = await mancala_on_a_thread("next", "ws://127.0.0.1:9", "ann")
    assert (lost.exit_code, "ws://127.0.0.1:9" in lost.stderr) == (1, True)
