"""Who is rated: names of versions."""

import pytest

from mancala.protocol.messages import Agent
from mancala.server.model.entrant import bot_name, entrant_name


@pytest.mark.parametrize(
    ("bot", "agent", "entrant"),
    [
        ("ann", None, "ann"),
        ("ann", Agent("engine"), "ann"),
        ("ann", Agent("engine", "1.2"), "ann@1.2"),
        ("ann@1.2", None, "ann%401.2"),
        ("ann@1.2", Agent("engine", "3@4"), "ann%401.2@3@4"),
    ],
)
def test_a_version_of_a_bot_has_a_name_of_its_own(
    bot: str, agent: Agent | None, entrant: str
) -> None:
    """The name tells bot and version, and no bot can pass for a version of another."""
    assert entrant_name(bot, agent) == entrant
    assert bot_name(entrant) == bot
