"""A lesson on learning: an evaluation that improves with self-play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import quantity

from ..console import output as console
from ..console.options import JsonOption, RulesOption
from .options import searched_rules

if TYPE_CHECKING:
    from mancala.engine.classics.td import Learner
    from mancala.protocol.player import Player
    from mancala.protocol.rules import Rules

ROUNDS: Final = 5
"""Tests between the first and the last game."""


@dataclass(frozen=True, slots=True)
class Exam:
    """How a learner did after ``learnt`` games of self-play; ``lead`` is in seeds a game."""

    learnt: int
    score: float
    lead: float


def register(group: typer.Typer) -> None:
    group.command("td")(_td)


def _td(
    *,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Games of self-play.")] = 1000,
    against: Annotated[str, typer.Option(help="The opponent of the tests, as a SPEC.")] = "greedy",
    tests: Annotated[int, typer.Option(min=2, max=10_000, help="Games of each test.")] = 200,
    seed: Annotated[int, typer.Option(help="Repeats all games.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option(help="Write the weights here, for alphabeta and engine.", dir_okay=False),
    ] = None,
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Learn an evaluation from self-play by TD(λ), and test it against a player as it grows.

    The learner looks one sowing ahead and begins with the difference of the stores alone. What it
    has learnt may be played with: `alphabeta:weights=FILE`.
    """
    from mancala.bot.players.registry import make_player
    from mancala.engine.classics.td import Learner
    from mancala.engine.classics.weighted import save

    variant = searched_rules(rules)
    if output is not None:
        console.expect_writable(output)
    with console.bad_input():
        opponent = make_player(against)
    learner, results = Learner(variant, seed=seed), []
    for result in _lessons(learner, opponent, variant, (games, tests, seed)):
        results.append(result)
        if not json:
            console.say(
                f"{quantity(result.learnt, 'game', form='>6,')}: {result.score:6.1%} of the points"
                f" against {against}, mean difference {result.lead:+.1f}"
            )
    if output is not None:
        save(learner.weights, output, f"mancala learn td --games {games} --seed {seed}")
    lines = [f"  {name:20} {weight:+.2f}" for name, weight in learner.weights.items()]
    found = {"rules": str(variant), "rows": results, "weights": learner.weights}
    console.show(found, ("weights, in seeds:", *lines), json=json)


def _lessons(
    learner: Learner, opponent: Player, rules: Rules, plan: tuple[int, int, int]
) -> Iterator[Exam]:
    """Yield a test before the first game, and after each of `ROUNDS` parts of them."""
    from mancala.engine.classics.rating import leads_of
    from mancala.engine.classics.td import LearnerPlayer
    from mancala.protocol.rules import Board

    games, tests, seed = plan
    player = LearnerPlayer(learner=learner)
    for part in range(ROUNDS + 1):
        while learner.games < games * part // ROUNDS:
            learner.play()
        leads = leads_of(player, opponent, Board.start(rules), games=tests, seed=seed)
        won, drawn = sum(lead > 0 for lead in leads), leads.count(0)
        yield Exam(learner.games, (won + drawn / 2) / tests, sum(leads) / tests)
