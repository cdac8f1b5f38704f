"""The reference of the ``mancala`` command, written from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import typer
from typer.core import TyperCommand, TyperGroup

Command = TyperCommand | TyperGroup


def markdown(app: typer.Typer) -> str:
    """Return the reference: for each command what it does, its usage, arguments and options."""
    root = typer.main.get_command(app)
    return "\n".join(_commands(root, typer.Context(root, info_name="mancala"), "##"))


def _commands(group: object, context: typer.Context, heading: str) -> Iterator[str]:
    for name, command in sorted(group.commands.items()) if isinstance(group, TyperGroup) else ():
        within = typer.Context(command, info_name=name, parent=context)
        yield f"\n{heading} `{within.command_path}`\n"
        if isinstance(command, Command):
            yield from _command(command, within)
        yield from _commands(command, within, heading + "#")


def _command(command: Command, context: typer.Context) -> Iterator[str]:
    yield inspect.cleandoc(command.help or "") + "\n"
    yield f"```text\n{command.get_usage(context)}\n```\n"
    records = [found for each in command.params if (found := each.get_help_record(context))]
    if records:
        yield "| argument or option | meaning |\n| --- | --- |"
        yield from (f"| {_code(name)} | {_text(meaning)} |" for name, meaning in records)


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|")


def _text(text: str) -> str:
    for special in "\\`*_<>|[]":
        text = text.replace(special, f"\\{special}")
    return text
