"""A word and a bar on stderr while the engine is compiled for the first time."""

from __future__ import annotations

from . import output as console


def compile_engine_for(*specs: str) -> None:
    """Compile the engine if a player of these specs needs it and it is not compiled yet."""
    if not any(spec.partition(":")[0] == "engine" for spec in specs):
        return
    from mancala.engine.search import warmup

    if warmup.is_compiled():
        return
    from rich.console import Console
    from rich.progress import Progress

    refused = warmup.refusal()
    console.say(f"compiling the engine, {'once, ' * (refused is None)}about 20 s", err=True)
    if refused is not None:
        console.say(refused, err=True)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling")

        def update(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=f"compiling {name}")

        warmup.compile_ahead(update)
