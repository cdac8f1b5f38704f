"""What stderr says of the engine before it plays: a bar while it is compiled, what is not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache

from mancala.protocol.rules import KALAH, Rules

from . import output as console


def say_what_is_not_kept(rules: Rules) -> None:
    """Say once why each process has to compile the engine, or build its endgame tables, anew."""
    from mancala.engine import tablebase
    from mancala.engine.search import warmup

    for refused in (warmup.refusal(), tablebase.refusal(rules, tablebase.default_cache())):
        if refused is not None:
            _say_once(refused)


@contextmanager
def tables_progress(rules: Rules) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for the progress of building endgame tables, drawn as a bar on stderr.

    Tables that were asked for and cannot be had are bad input.
    """
    from mancala.engine.tablebase import NoTablesError

    say_what_is_not_kept(rules)
    try:
        with console.progress("endgame tables") as progress:
            yield progress
    except NoTablesError as error:
        console.fail(error)


@cache
def _say_once(sentence: str) -> None:
    console.say(sentence, err=True)


def plays_engine(specs: Iterable[str]) -> bool:
    """Return whether the engine is among players, by their specs."""
    return any(spec.partition(":")[0] == "engine" for spec in specs)


def compile_engine_for(*specs: str) -> None:
    """Compile the engine if a player of these specs needs it and it is not compiled yet."""
    if not plays_engine(specs):
        return
    from mancala.engine.search import warmup

    say_what_is_not_kept(KALAH)
    if warmup.is_compiled():
        return
    from rich.console import Console
    from rich.progress import Progress

    once = "once, " * (warmup.refusal() is None)
    console.say(f"compiling the engine, {once}about 20 s", err=True)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling")

        def update(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=f"compiling {name}")

        warmup.compile_ahead(update)
