"""What stderr says of the engine before it plays: a bar while it is compiled, what is not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final

from mancala.protocol.rules import KALAH, Board, Rules, UnknownRuleError

from . import output as console

FIRST_S: Final = 0.2
"""Seconds of the plain search that answers before the engine is compiled."""


def say_what_is_not_kept(rules: Rules) -> None:
    """Say once why each process has to compile the engine, or build its endgame tables, anew."""
    from mancala.engine import kernel_cache, tablebase

    for refused in (kernel_cache.refusal(), tablebase.refusal(rules, tablebase.default_cache())):
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
    from mancala.engine import kernel_cache

    if not kernel_cache.is_compiled():
        console.say(f"compiling the engine, {_once()}about 20 s", err=True)
        _compile()
    say_what_is_not_kept(KALAH)


def say_first_answer(board: Board) -> None:
    """Say what a plain search finds in a moment, where the engine has to be compiled first."""
    from mancala.engine import kernel_cache

    if kernel_cache.is_compiled():
        return
    from mancala.engine.classics.deepening import DeepeningPlayer

    with suppress(UnknownRuleError):
        choice = DeepeningPlayer(FIRST_S).choose(board)
        if choice.info is not None:
            console.say(
                f"at first, by a plain search to depth {choice.info.depth}: "
                f"pit {choice.pit}, {choice.info.value:+g}",
                err=True,
            )


def compile_engine_for_bots(*specs: str) -> bool:
    """Compile as above, unless the bots begin with a plain search; return whether it is compiled.

    Such bots compile beside their first moves. A spec that names no player is bad input.
    """
    from mancala.bot.players.registry import answers_first

    with console.bad_input():
        plain = [spec for spec in specs if answers_first(spec)]
    if len(plain) < len(specs):
        compile_engine_for(*(spec for spec in specs if spec not in plain))
    elif plain:
        console.say(f"compiling the engine, {_once()}beside its first moves", err=True)
    return not plain


def _once() -> str:
    from mancala.engine import kernel_cache

    return "once, " * (kernel_cache.refusal() is None)


def _compile() -> None:
    from rich.console import Console
    from rich.progress import Progress

    from mancala.engine.search import warmup

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("compiling")

        def update(done: int, total: int, name: str) -> None:
            bar.update(task, completed=done, total=total, description=f"compiling {name}")

        warmup.compile_ahead(update)
