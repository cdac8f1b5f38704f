"""How a player is written."""

from __future__ import annotations

import pytest

from mancala.bot.players.spec import PlayerSpec, SpecError


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
