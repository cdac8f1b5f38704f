"""Greet a person by name."""

import typer


def register(app: typer.Typer) -> None:
    app.command("greet")(greet)


def greet(name: str) -> None:
    """Greet a person by name."""
    typer.echo(f"Hello, {name}!")
