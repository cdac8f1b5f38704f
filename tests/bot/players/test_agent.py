"""Which program stands behind a name: stated by its author, or told by its files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mancala.bot.players.spec import agent_of, parse_agent
from mancala.protocol.messages import Agent


def test_an_agent_is_a_name_and_a_version() -> None:
    """What an author writes may leave out the version, and hold further slashes in it."""
    assert parse_agent("ada/1.2") == Agent("ada", "1.2")
    assert parse_agent("ada") == Agent("ada", "")
    assert parse_agent("ada / main/7f3") == Agent("ada", "main/7f3")


@pytest.mark.parametrize("text", ["", "/1", "a" * 300, "ada/\u202e1", "ada\n/1"])
def test_what_is_no_agent_is_refused(text: str) -> None:
    """The sentence shows the form that is wanted."""
    with pytest.raises(ValueError, match="written NAME/VERSION, such as my-bot"):
        parse_agent(text)


def test_the_arenas_own_players_have_its_version() -> None:
    """An engine is what this package is."""
    assert agent_of("engine:level=3", arena="1.0") == Agent("engine", "1.0")


def test_a_changed_program_is_another_version(tmp_path: Path) -> None:
    """A script is known by its file and not by its interpreter; so is a player in Python."""
    script = tmp_path / "deep.py"
    script.write_text("print(1)\n")
    specs = [f"cmd:{sys.executable} {script} --fast", f"net:python3 {script} {{url}}"]
    specs += [f"python:{script}:choose", f"python:{script}"]
    before = [agent_of(spec, arena="1.0") for spec in specs]
    assert {agent.name for agent in before} == {"deep"}
    assert len({agent.version for agent in before}) == 1
    script.write_text("print(2)\n")
    after = [agent_of(spec, arena="1.0") for spec in specs]
    assert not {agent.version for agent in before} & {agent.version for agent in after}


def test_a_program_from_the_path_is_told_by_itself() -> None:
    """A command without files has its program."""
    agent = agent_of(f"cmd:{sys.executable} -c pass", arena="1.0")
    assert agent.name == Path(sys.executable).stem
    assert agent.version != "1.0"
