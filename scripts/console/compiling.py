"""What stderr says of the engine before it plays: a bar while it is compiled, what is not kept."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Final

from mancala.protocol.rules import KALAH, Board, Rules, UnknownRuleError

from . import output as console

FIRST_S: Final = 0.2
"""Seconds of the plain search that answers before the engine is compiled."""
FEW_KERNELS: Final = {"level", "nodes"}
"""Options with which the engine compiles other kernels in games without a server, and fewer."""


def say_what_is_not_kept(rules: Rules) -> None:
    """Say once why each process has to compile the engine, or build its endgame tables, anew."""
    from mancala.engine import kernel_cache, tablebase

    for refused in (kernel_cache.refusal(), tablebase.refusal(rules, tablebase.default_cache())):
        if refused is not None:
            _say_once(refused)


@contextmanager
def tables_progress(rules: Rules) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for the progress of building endgame tables, drawn as a bar on stderr."""
    from mancala.engine.tablebase import NoTablesError

    say_what_is_not_kept(rules)
    with console.bad_input(NoTablesError), console.progress("endgame tables") as progress:
        yield progress


@cache
def _say_once(sentence: str) -> None:
    console.say(sentence, err=True)


def plays_engine(specs: Iterable[str]) -> bool:
    """Return whether the engine is among players, by their specs."""
    return any(spec.partition(":")[0] == "engine" for spec in specs)


def options_of(spec: str) -> set[str]:
    return {each.partition("=")[0] for each in spec.partition(":")[2].split(",")}


def compile_engine_for(*specs: str, rules: Rules = KALAH) -> None:
    """Compile the engine if a player of these specs needs it and it is not compiled yet."""
    if not plays_engine(specs):
        return
    from mancala.engine import kernel_cache

    if not kernel_cache.is_compiled():
        once = "once, " * (kernel_cache.refusal() is None)
        console.say(f"compiling the engine, {once}about 20 s", err=True)
        _compile()
    say_what_is_not_kept(rules)


def compile_engine_for_games(rules: Rules, specs: Iterable[str]) -> None:
    """Compile as above for games without a server, for the players that need all of the engine."""
    specs = list(specs)
    compile_engine_for(*(spec for spec in specs if not FEW_KERNELS & options_of(spec)), rules=rules)
    if plays_engine(specs):
        say_what_is_not_kept(rules)


def say_first_answer(board: Board) -> None:
    """Say what a plain search finds in a moment, where the engine has to be compiled first.

    Raises:
        UnknownRuleError: when the engine is for no game whose positions repeat.
    """
    from mancala.engine import kernel_cache

    if kernel_cache.is_compiled():
        return
    if board.rules.oware:
        from mancala.engine.kernels import state

        state.variant(board.rules)
    from mancala.engine.classics.deepening import DeepeningPlayer

    with suppress(UnknownRuleError):
        choice = DeepeningPlayer(FIRST_S).choose(board)
        if choice.info is not None:
            console.say(
                f"at first, by a plain search to depth {choice.info.depth}: "
                f"pit {choice.pit}, {choice.info.value:+g}",
                err=True,
            )


def compile_engine_for_person(spec: str, rules: Rules) -> bool:
    """Compile as above, or say that a plain search answers first; return whether it is compiled."""
    from mancala.bot.players.registry import answers_first

    with console.bad_input():
        is_plain = answers_first(spec)
    if is_plain:
        _say_once("compiling the engine, once; a plain search answers until then")
    else:
        compile_engine_for(spec, rules=rules)
    return not is_plain


def _compile() -> None:
    from mancala.engine.search import warmup

    if not sys.stderr.isatty():
        warmup.compile_ahead()
        return
    with console.progress("compiling") as update:
        warmup.compile_ahead(lambda done, total, name: update(done, total, f"compiling {name}"))
