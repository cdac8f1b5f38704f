"""The command line as a whole: help, version, usage errors, and how fast it answers."""

from pathlib import Path

from typer.testing import CliRunner, Result

from mancala.protocol.rules import Board
from mancala.scripts import commands
from mancala.scripts.mancala import COMMANDS, MODULES, REGISTERS, build
from tests.sources import run_python

HEAVY = ("numba", "numpy", "sqlalchemy", "websockets", "aiomqtt", "rich", "starlette")


def mancala(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(build(), list(arguments), input=typed)


def test_help_names_every_command() -> None:
    """``mancala --help`` lists the commands."""
    result = mancala("--help")
    assert result.exit_code == 0
    for command in ("demo", "serve", "bot", "play", "perft", "analyze"):
        assert f"  {command} " in result.stdout


def test_help_loads_nothing_heavy() -> None:
    """Help and usage errors are quick, since large packages are imported when needed."""
    program = (
        "import sys\n"
        "from contextlib import redirect_stdout, suppress\n"
        "from mancala.scripts.mancala import main\n"
        "sys.argv = ['mancala', '--help']\n"
        "with suppress(SystemExit), redirect_stdout(None):\n"
        "    main()\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    run = run_python("-c", program)
    assert run.stdout.strip() == "[]"


def test_each_module_of_commands_is_one_command_and_loaded_only_for_it() -> None:
    """So each program begins quickly, whatever the others need."""
    place = Path(commands.__path__[0])
    modules = {(each.parent.name, each.stem) for each in place.glob("*/[!_]*.py")}
    names = ((folder, MODULES.get(name, name)) for name, folder in COMMANDS.items())
    listed = {(folder, name.replace("-", "_")) for folder, name in names}
    plugged = {tuple(each.module.split(".")[-2:]) for each in REGISTERS.plugins.values()}
    assert listed | plugged == modules
    program = (
        "import sys\n"
        "from mancala.scripts.mancala import build\n"
        "from typer.testing import CliRunner\n"
        "CliRunner().invoke(build(), ['spec', '--help'])\n"
        "start = 'mancala.scripts.commands.playing.'\n"
        "print([name for name in sys.modules if name.startswith(start)])"
    )
    run = run_python("-c", program)
    assert run.stdout.strip() == "['mancala.scripts.commands.playing.spec']"


def test_the_version_is_told() -> None:
    """``--version`` names the program and its version."""
    assert mancala("--version").stdout.startswith("mancala 1.")


def test_a_person_plays_with_a_script() -> None:
    """Piped input plays moves; its end leaves the game politely."""
    result = mancala("play", "--player", "random", "--seed", "1", typed="4\n")
    assert result.exit_code == 0
    assert "    Player 1 selected pit 4: 4 seeds (+1, 0, 0)" in result.stdout
    assert "Player 2 selected pit" in result.stdout
    assert "You left the game" in result.stdout


def test_an_unfinished_game_is_one_json_object() -> None:
    """With ``--json`` the board is drawn on stderr, and stdout holds the game."""
    result = mancala("play", "--player", "random", "--json", typed="1\n")
    assert result.exit_code == 0
    assert result.stdout.startswith('{"rules":"kalah","finished":false,"winner":null')
    assert result.stdout.count("\n") == 1
    assert str(Board.start()) in result.stderr


def test_a_whole_game_can_be_played_by_numbers() -> None:
    """A person who tries every pit in turn reaches the end of the game."""
    result = mancala("play", "--player", "random", "--seed", "3", typed="\n".join("012345" * 200))
    assert result.exit_code == 0
    assert "Game over: " in result.stdout
