"""The list of players."""

from mancala.bot.players.registry import PLAYERS
from tests.scripts.commands.results import mancala, result_of
from tests.sources import run_python


def test_lists_every_player_with_every_option() -> None:
    """Name, meaning, default and range come from the declarations that read a SPEC."""
    players = {player["name"]: player for player in result_of("players")["players"]}
    assert list(players) == list(PLAYERS)
    minimax = players["minimax"]
    assert minimax["meaning"]
    assert minimax["options"][0] == {
        "name": "depth",
        "meaning": "turns to look ahead",
        "default": "3",
        "range": "a whole number 1..64",
    }
    engine = {option["name"]: option for option in players["engine"]["options"]}
    assert {"movetime", "level", "threads", "quiescence", "my_chain"} <= engine.keys()
    assert engine["movetime"]["default"] is None


def test_lists_one_player() -> None:
    """A name narrows the list; the text shows each option with its range."""
    assert [player["name"] for player in result_of("players", "mcts")["players"]] == ["mcts"]
    text = mancala("players", "mcts").stdout
    assert "playouts" in text
    assert "default 1000" in text
    assert "1..10000000" in text


def test_the_list_loads_no_compiler() -> None:
    """Listing players works without the extra ``engine``."""
    code = (
        "import sys; from mancala.scripts.mancala import build; "
        "build()(['players', '--json'], standalone_mode=False); "
        "print({'numba', 'numpy'} & set(sys.modules), file=sys.stderr)"
    )
    done = run_python("-c", code)
    assert done.stderr == "set()\n"
