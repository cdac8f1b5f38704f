"""How a player is written."""

import sys
from pathlib import Path

import pytest

from mancala.bot.players.spec import PlayerSpec, SpecError, agent_of, parse_agent
from mancala.protocol.messages import Agent


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("random", "random", {}),
        ("random:", "random", {}),
        ("minimax:depth=5", "minimax", {"depth": "5"}),
        ("engine:movetime=0.1,depth=12", "engine", {"movetime": "0.1", "depth": "12"}),
        (" mcts : playouts = 2000 ", "mcts", {"playouts": "2000"}),
        ("cmd:./bot --depth=3,4 a:b", "cmd", {"program": "./bot --depth=3,4 a:b"}),
        (
            "llm:@cf/m:8b@http://127.0.0.1:80/v1,contract=kaggle",
            "llm",
            {"model": "@cf/m:8b@http://127.0.0.1:80/v1", "contract": "kaggle"},
        ),
    ],
)
def test_reads_a_name_and_its_options(text: str, name: str, options: dict[str, str]) -> None:
    """A player's text gives its name and settings; a program keeps all its punctuation."""
    spec = PlayerSpec.parse(text)
    assert (spec.name, spec.options) == (name, options)
    assert PlayerSpec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    "text", ["", ":depth=5", "minimax:depth", "minimax:=5", "minimax:depth=", "cmd", "cmd: ", "a:,"]
)
def test_says_what_is_malformed(text: str) -> None:
    """A text without a name, a key, a value or a program is refused."""
    with pytest.raises(SpecError):
        PlayerSpec.parse(text)


def test_refuses_an_option_given_twice() -> None:
    """Two values for one option are a mistake, not a choice."""
    with pytest.raises(SpecError, match="twice"):
        PlayerSpec.parse("minimax:depth=3,depth=5")


def test_options_are_passed_on_to_a_program() -> None:
    """They stand before its command line, which may hold anything, and are read back."""
    spec = PlayerSpec.parse("cmd[depth=5,hash=64]:./bot --a=b, c[d]:e")
    assert spec.name == "cmd"
    assert spec.options == {"program": "./bot --a=b, c[d]:e", "options": "depth=5,hash=64"}
    assert PlayerSpec.parse(str(spec)) == spec
    with pytest.raises(SpecError, match="key=value"):
        PlayerSpec.parse("cmd[depth]:./bot")


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
