"""The textbooks' algorithms, step by step."""

import typer

from ...lessons import chains, horizon, judgement, tables, td, trees


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help=__doc__)
    for lesson in (trees, horizon, judgement, tables, chains, td):
        lesson.register(group)
    app.add_typer(group, name="learn")
