"""The command line as a whole: help, version, usage errors, and how fast it answers."""

from pathlib import Path

import pytest
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


def test_rules_that_the_engine_does_not_know_are_refused_in_a_sentence() -> None:
    """Whatever proves something knows no game whose positions repeat."""
    result = mancala("solve", "<1,3,1,1,2>", "--rules", "oware")
    assert result.exit_code == 2
    assert result.stderr == "mancala: the compiled engine cannot play the rules oware\n"


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


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("dance",), "No such command 'dance'"),
        (("play", "--rules", "chess"), "no rules named 'chess'"),
        (("play", "--rules", "kalah:pits=0"), "pits must be 1..16, not 0"),
        (("play", "--player", "nobody"), "nobody"),
        (("bot",), "Missing argument 'URL'"),
        (("bot", "ws://127.0.0.1:1", "--player", "nobody"), "nobody"),
        (
            ("bot", "ws://127.0.0.1:1", "--player", "random", "--name", "a b"),
            "'a b' cannot be a name",
        ),
        (("bot", "http://127.0.0.1:1"), "'http://127.0.0.1:1' is not the address"),
        (("bot", "ws://127.0.0.1:1", "--rules", "chess"), "no rules named 'chess'"),
        (("serve", "--config", "/nowhere.toml"), "/nowhere.toml"),
        (("serve", "--port", "65536"), "'--port'"),
        (("demo", "--games", "0"), "'--games'"),
        (("demo", "--second", "nobody"), "nobody"),
    ],
)
def test_what_cannot_be_understood_is_named_on_stderr_with_code_2(
    arguments: tuple[str, ...], complaint: str
) -> None:
    """Usage errors and bad input: nothing on stdout, the fault on stderr, exit code 2."""
    result = mancala(*arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stdout == ""


def test_a_config_that_cannot_be_used_names_its_key(tmp_path: Path) -> None:
    """The organiser learns which key of which file was wrong."""
    config = tmp_path / "arena.toml"
    config.write_text("prot = 8765\n")
    result = mancala("serve", "--config", str(config))
    assert result.exit_code == 2
    assert "arena.toml" in result.stderr
    assert "prot" in result.stderr


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


def test_a_program_that_is_not_there_is_named() -> None:
    """Playing against a program that can't be started fails with its name, not a traceback."""
    result = mancala("play", "--player", "cmd:/no/such/program")
    assert result.exit_code == 2
    assert "no program '/no/such/program'" in result.stderr


@pytest.mark.parametrize(
    "arguments", [("perft", "٣"), ("perft", "2", "--jobs=\uff13"), ("solve", "--pits", "٣")]
)
def test_numbers_are_written_with_plain_digits(arguments: tuple[str, ...]) -> None:
    """Digits of other scripts are no numbers on the command line."""
    result = mancala(*arguments)
    assert result.exit_code == 2
    assert "digits 0 to 9" in result.stderr


@pytest.mark.parametrize("arguments", [("solve", "--time"), ("event", "new", "--duration")])
def test_nan_is_no_number(arguments: tuple[str, ...]) -> None:
    """No comparison with a bound refuses it: a search with such a limit ended in a traceback."""
    result = mancala(*arguments, "nan")
    assert result.exit_code == 2
    assert f"'{arguments[-1]}': nan is no number" in result.stderr
