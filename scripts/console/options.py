"""Options that several commands share, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand

from mancala.protocol.rules import InvalidPositionError, Rules

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
    """Return the rules that ``--rules`` names.

    Raises:
        typer.Exit: when no rules have this name or these changes.
    """
    try:
        return Rules.parse(text)
    except InvalidPositionError as error:
        console.fail(error)


def spread_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command for typer in which groups of options stand for one parameter each.

    A parameter whose type is a dataclass is replaced by the fields of that class, which are
    options with defaults; the command receives the object. So commands that share options name
    them once.
    """
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for parameter in signature(command).parameters.values():
        kind = hints[parameter.name]
        if is_dataclass(kind):
            groups[parameter.name] = kind
            parameters += _options_of(kind)
        else:
            parameters.append(parameter.replace(annotation=kind))

    def spread(**given: object) -> None:
        """Call the command with its groups of options put together."""
        objects = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        command(**given, **objects)

    spread.__doc__ = command.__doc__
    spread.__annotations__ = {each.name: each.annotation for each in parameters}
    spread.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # what inspect reads
    return spread


def _options_of(group: Any) -> list[Parameter]:  # noqa: ANN401  # a dataclass
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
    made = field.default_factory
    return field.default if made is MISSING else made()


class NumberCommand(TyperCommand):
    """A command with a number among its arguments: ``-3`` is that number, and no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # by typer's version
        """Read the command line; refuse a negative number as the argument that it is."""
        if any(re.fullmatch(r"-[0-9]+", word) for word in args):
            ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)
