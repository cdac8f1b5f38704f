"""Options that several commands share, and how they are read."""

import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from mancala.protocol.rules import Rules

from . import output as console

RulesOption = Annotated[
    str, typer.Option("--rules", help="A preset, or one with changes: article:pits=4,seeds=3.")
]
TablesOption = Annotated[
    int | None,
    typer.Option(
        "--tables",
        envvar="MANCALA_TABLES",
        min=2,
        max=40,
        help="Seeds that the endgame tables reach, built if missing. Default: the largest that"
        " `endgame build` left in the cache, or 16 seeds of Kalah(6,n), 15 MB. With six pits a row"
        " 20 seeds take 113 MB, 24 624 MB, 30 5.5 GB; processes share them.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def rules_of(text: str) -> Rules:
    with console.bad_input():
        return Rules.parse(text)


def spread_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for typer in which groups of options stand for one parameter each.

    A parameter whose type is a dataclass is replaced by the fields of that class, which are
    options with defaults; the command receives the object. So commands that share options name
    them once.
    """
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            parameters += options_of(parameter.annotation)
        else:
            parameters.append(parameter)

    def spread(**given: object) -> None:
        """Call the command with its groups of options put together."""
        objects = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        command(**given, **objects)

    return with_parameters(spread, parameters, command.__doc__)


def with_parameters(
    command: Callable[..., None], parameters: Sequence[Parameter], sentence: str | None
) -> Callable[..., None]:
    command.__doc__ = sentence
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what inspect reads
    return command


def options_of(group: Any) -> list[Parameter]:  # noqa: ANN401  # a dataclass
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=_default_of(field),
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def _default_of(field: Field[Any]) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return Parameter.empty if field.default is MISSING else field.default


def is_typed(context: typer.Context, name: str) -> bool:
    """Return whether an option stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


class NumberCommand(TyperCommand):
    """A command with a number among its arguments: ``-3`` is that number, and no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # by typer's version
        """Read the command line; refuse a negative number as the argument that it is."""
        if any(re.fullmatch(r"-[0-9]+", word) for word in args):
            ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)
