"""The ``mancala`` command: one module for each subcommand, listed here or found as a plug-in.

The module of a command is imported when the command is asked for, and imports little at its head:
the engine, the server and other large parts are imported by the function that needs them. So each
program begins quickly, and so do ``--help`` and usage errors. Of a plug-in's command ``--help``
shows the first line of its module, and imports nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from math import isnan
from types import FunctionType
from typing import Annotated, Any, Final, TypeAlias, cast

import typer
from typer.core import TyperGroup

from mancala.plugins import Plugged, PluginError, PluginGroup

from .console import output as console
from .console.interrupt import end_interrupted

LISTED: Final = (
    ("playing", "demo"),
    ("hosting", "serve web front backup"),
    ("playing", "new bot list next check-bot spec play play-bots"),
    ("hosting", "levels analyst"),  # which `mancala serve` runs
    ("thinking", "perft analyze solve prove bench"),
    ("playing", "match tournament rate"),
    ("thinking", "review"),
    ("hosting", "reviewer"),
    ("thinking", "import openings"),
    ("playing", "players"),
    ("thinking", "tune dataset"),
    ("hosting", "doctor admin event token store archive"),
    ("thinking", "endgame plugins"),
)
COMMANDS: Final = {name: folder for folder, names in LISTED for name in names.split()}
"""The folder of each command's module, in the order of the help."""
Register: TypeAlias = Callable[[typer.Typer], None]
NOT_INSTALLED: Final = "not installed"
MODULES: Final = {"import": "import_games", "list": "list_server", "next": "next_match"}
"""Modules of commands whose names are words of Python."""


def _own(name: str) -> Register:
    """Return what adds one of our commands; its module is imported then.

    A module has a function ``command``, or ``register`` for a group and what is not usual.
    """

    def register(app: typer.Typer) -> None:
        from .console.options import spread_options

        file = MODULES.get(name, name.replace("-", "_"))
        module = import_module(f"{__package__}.commands.{COMMANDS[name]}.{file}")
        if hasattr(module, "command"):
            app.command(name)(spread_options(module.command))
        else:
            module.register(app)

    return register


REGISTERS: Final = Plugged(
    PluginGroup.COMMANDS,
    cast("type[Register]", FunctionType),
    {name: _own(name) for name in COMMANDS},
)
"""The function that adds each command to an app."""


class Commands(Mapping[str, Any]):
    """The commands by name; a command's module is imported when the command is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  # by typer's version
        app, register = _app(), REGISTERS[name]
        with REGISTERS.guarded(name):
            register(app)
            if (found := typer.main.get_group(app).commands.get(name)) is None:
                raise PluginError(f"{REGISTERS.plugins[name]} fails: it adds no command {name!r}")
            _refuse_nan(found)
            return found

    def __iter__(self) -> Iterator[str]:
        return iter(REGISTERS)

    def __len__(self) -> int:
        return len(REGISTERS)


class _Group(TyperGroup):
    """The commands; one that has nothing to print at Ctrl-C ends here."""

    def __init__(self, **attrs: Any) -> None:  # noqa: ANN401  # by typer's version
        super().__init__(**attrs)
        self.commands: Any = Commands()

    def list_commands(self, _ctx: Any) -> list[str]:  # noqa: ANN401  # by typer's version
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401  # by typer's version
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._sentence(name, width)) for name in names])

    def _sentence(self, name: str, width: int) -> str:
        if (plugin := REGISTERS.plugins.get(name)) is None:
            return str(self.commands[name].get_short_help_str(width))
        return plugin.sentence + (f" ({NOT_INSTALLED})" if plugin.missing else "")

    def make_context(self, info_name: Any, args: Any, *others: Any, **extra: Any) -> Any:  # noqa: ANN401  # by typer's version
        """Read the command line; ``--debug`` may stand anywhere in it."""
        args = [word for word in args if word != console.DEBUG]
        with _ended_at_ctrl_c(json="--json" in args):
            return super().make_context(info_name, args, *others, **extra)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # by typer's version
        """Read the command line; numbers are written with the digits 0 to 9."""
        for word in args:
            _expect_plain_digits(word)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  # by typer's version
        with _ended_at_ctrl_c(json="--json" in ctx.args):
            try:
                return super().invoke(ctx)
            except ValueError as error:
                from mancala.protocol.rules import UnknownRuleError

                if not isinstance(error, UnknownRuleError):
                    raise
                console.fail(error)


def _expect_plain_digits(word: str) -> None:
    """Refuse a number in digits of another script, which Python reads as well."""
    value = word.partition("=")[2] if word.startswith("-") else word
    if not value.isascii() and value.strip("+-.").replace(".", "", 1).isdecimal():
        raise typer.BadParameter(f"{value!r} is no number: write it with the digits 0 to 9")


def _refuse_nan(command: Any) -> None:  # noqa: ANN401  # by typer's version
    """Have a command, or those of a group, refuse ``nan``, which is within any bounds."""
    for each in getattr(command, "commands", {}).values():
        _refuse_nan(each)
    for parameter in command.params:
        parameter.callback = parameter.callback or _expect_number


def _expect_number(ctx: Any, param: Any, value: Any) -> Any:  # noqa: ANN401  # by typer's version
    several = value if isinstance(value, tuple | list) else (value,)
    if any(isinstance(each, float) and isnan(each) for each in several):
        raise typer.BadParameter("nan is no number", ctx=ctx, param=param)
    return value


@contextmanager
def _ended_at_ctrl_c(*, json: bool) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        end_interrupted(json=json)


def build() -> typer.Typer:
    app = _app(cls=_Group)
    app.callback()(_mancala)
    return app


def _app(**settings: Any) -> typer.Typer:  # noqa: ANN401  # as typer takes them
    return typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )


def main() -> None:
    """Run the command line; the entry point."""
    build()(prog_name="mancala")


def _print_version(asked: bool) -> None:  # noqa: FBT001  # typer hands an option's value over so
    if asked:
        from importlib.metadata import version

        console.say(f"mancala {version('mancala-arena')}")
        raise typer.Exit


def _mancala(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    debug: Annotated[  # read where an error is printed
        bool, typer.Option(console.DEBUG, help="Print a traceback before an error's sentence.")
    ] = False,
) -> None:
    """Play, host and study games of mancala between programs."""


if __name__ == "__main__":
    main()
