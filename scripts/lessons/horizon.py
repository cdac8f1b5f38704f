"""Lessons on depth: iterative deepening depth by depth, and what helps against the horizon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..console import output as console
from ..console.options import JsonOption, RulesOption
from ..console.positions import unfinished
from .options import (
    BoardOption,
    Evaluated,
    EvaluationOption,
    QuiescenceOption,
    TreeArgument,
    position,
    searched_rules,
)

if TYPE_CHECKING:
    from mancala.engine.classics.alphabeta import AlphaBetaPlayer
    from mancala.engine.classics.lecture.game_tree import GameTree
    from mancala.protocol.rules import Board

DEEPEST: Final = 12
DELAYED: Final = "<3,3,2,0,1,2,0,0,4>"
"""A position in which the reply to the move that depth 1 prefers captures six seeds."""
LOUD_SOWINGS: Final = 6
LOOK_TURNS: Final = 2
MARGIN: Final = 2.0


@dataclass(frozen=True, slots=True)
class LessonSearch:
    """One search; ``value`` is the mover's, ``seconds`` None for a tree on paper."""

    name: str
    best: list[str]
    value: float
    nodes: int
    seconds: float | None = None


def register(group: typer.Typer) -> None:
    group.command("deepening")(_deepening)
    group.command("horizon")(_horizon)


def _deepening(
    tree: TreeArgument = None,
    *,
    board: BoardOption = None,
    depth: Annotated[int, typer.Option(min=1, max=DEEPEST, help="Last depth, in turns.")] = 6,
    quiescence: QuiescenceOption = 0,
    evaluation: EvaluationOption = Evaluated.STORES,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Search depth by depth, as iterative deepening does, and show what each depth adds.

    A tree of numbers needs the value of every node at which a search may stop, as in @4(3 12).
    """
    from mancala.engine.classics.lecture.tree_text import parse

    with console.bad_input():
        if tree is not None and board is not None:
            raise ValueError("give a tree of numbers or --board, not both")
        if tree is not None:
            searches = list(_of_tree(parse(tree), depth, quiescence))
        else:
            start = unfinished(position(board or "start", searched_rules(rules)))
            searches = [
                _searched(start, f"{limit}", _player(limit, evaluation, quiescence=quiescence))
                for limit in range(1, depth + 1)
            ]
    total, last = sum(search.nodes for search in searches), searches[-1].nodes
    closing = (
        f"all depths together visit {total:,}, the last alone {last:,}: {total / last:.2f} times"
    )
    _show("depth", searches, closing, {"total": total}, json=json)


def _horizon(
    board: Annotated[
        str, typer.Option(help="The position; the default has a reply behind the horizon.")
    ] = DELAYED,
    *,
    depth: Annotated[int, typer.Option(min=1, max=DEEPEST, help="Turns of the search.")] = 1,
    evaluation: EvaluationOption = Evaluated.STORES,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Search a position with and without each remedy against the horizon effect."""
    start = unfinished(position(board, searched_rules(rules)))
    players = {
        f"depth {depth}": _player(depth, evaluation),
        "with quiescence": _player(depth, evaluation, quiescence=LOUD_SOWINGS),
        "with secondary search": _player(depth, evaluation, secondary=LOOK_TURNS),
        "with singular extension": _player(depth, evaluation, singular=MARGIN),
        **{f"depth {depth + more}": _player(depth + more, evaluation) for more in (1, 2)},
    }
    searches = [_searched(start, name, player) for name, player in players.items()]
    _show("search", searches, f"position {start.text}", {"board": start.text}, json=json)


def _of_tree(tree: GameTree, depth: int, quiescence: int) -> Iterator[LessonSearch]:
    from mancala.engine.classics.lecture.game_tree import seen
    from mancala.engine.classics.lecture.tree_walk import walk

    from ..console.views.tree import Notes, best_line

    for limit in range(1, depth + 1):
        part = seen(tree, limit, quiescence=quiescence)
        notes = Notes.of(walk(part))
        best = [node.move or str(path[-1] + 1) for path, node in best_line(part, notes)[1:2]]
        yield LessonSearch(str(limit), best, notes.values[()], len(notes.visited))
        if part == seen(tree, DEEPEST + limit):
            return


def _player(
    depth: int,
    evaluation: Evaluated,
    *,
    quiescence: int = 0,
    secondary: int = 0,
    singular: float | None = None,
) -> AlphaBetaPlayer:
    from mancala.engine.classics.alphabeta import AlphaBetaPlayer, Remedies
    from mancala.engine.classics.evaluation import EVALUATIONS

    remedies = Remedies(quiescence, secondary, singular)
    evaluate = EVALUATIONS[evaluation.value]
    return AlphaBetaPlayer(seed=0, depth=depth, evaluate=evaluate, remedies=remedies)


def _searched(board: Board, name: str, player: AlphaBetaPlayer) -> LessonSearch:
    began = perf_counter()
    ratings = player.rate(board)
    seconds = perf_counter() - began
    value = max(ratings.values())
    best = [str(pit) for pit in sorted(ratings) if ratings[pit] == value]
    return LessonSearch(name, best, value, player.nodes, round(seconds, 4))


def _show(
    heading: str,
    searches: list[LessonSearch],
    closing: str,
    facts: dict[str, object],
    *,
    json: bool,
) -> None:
    if json:
        console.emit({**facts, "rows": searches})
        return
    timed = searches[0].seconds is not None
    console.say(f"{heading:24} {'best':>8} {'value':>7} {'visited':>11}" + "  seconds" * timed)
    for each in searches:
        best = ", ".join(each.best) or "-"
        seconds = "" if each.seconds is None else f"  {each.seconds:7.3f}"
        console.say(f"{each.name:24} {best:>8} {each.value:>+7.4g} {each.nodes:>11,}{seconds}")
    console.say(closing)
