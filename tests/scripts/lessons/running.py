"""Lessons run as a person runs them."""

import typer
from typer.testing import CliRunner

from mancala.scripts.commands.thinking import learn


def run(*arguments: str) -> tuple[int, str, str]:
    app = typer.Typer()
    learn.register(app)
    app.command("other")(lambda: None)
    result = CliRunner().invoke(app, ["learn", *arguments])
    return result.exit_code, result.stdout, result.stderr
