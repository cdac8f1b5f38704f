"""The page of a run of ``mancala tune --play``: how fit each generation was, and where it went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from scripts.views import charts
from scripts.views.report import document, section

if TYPE_CHECKING:
    from engine.tuning.cmaes_tuner import Generation, Parameter

AGAIN_S: Final = 5
"""Seconds after which a browser looks whether there is more."""


def page(
    command: str,
    parameters: Sequence[Parameter],
    generations: Sequence[Generation],
    result: dict[str, Any] | None,
) -> str:
    """Make the page.

    Args:
        command: what was typed.
        parameters: what is tuned.
        generations: those that have been played, one or more.
        result: what the test came to; None while there is none.
    """
    sections = [
        section(
            "Fitness",
            "What the candidates of a generation brought on average against the start, -1 to 1; "
            "0 is as good. A game brings tanh(margin / 12 seeds). The band is a 95 % interval over "
            "the openings, which all candidates of a generation share.",
            charts.course(
                [charts.Interval(f"generation {g.number}", *g.fitness) for g in generations],
                level=0.0,
                form="{:+.2f}",
                size=(charts.WIDTH, charts.PLOT_HEIGHT),
            ),
        ),
        section(
            "Parameters",
            "Mean and standard deviation over the candidates; the broken line is the start.",
            f'<div class="several">{"".join(_figures(parameters, generations))}</div>',
        ),
    ]
    if result is not None:
        sections.insert(0, section("Test", "What was found against the start.", _test(result)))
    facts = f"Generations so far: {len(generations)}. {command}"
    again_s = AGAIN_S if result is None else None
    return document("Tuning by play", facts, sections, again_s=again_s)


def _figures(parameters: Sequence[Parameter], generations: Sequence[Generation]) -> Iterator[str]:
    for at, each in enumerate(parameters):
        points = [charts.Interval(f"{each.name} {g.number}", *g.course(at)) for g in generations]
        drawing = charts.course(points, level=each.start, form="{:.2f}")
        yield f"<figure><figcaption>{escape(each.name)}</figcaption>{drawing}</figure>"


def _test(result: dict[str, Any]) -> str:
    test = result["test"]
    low, high = test["bounds"]
    verdict = "installed" if result["installed"] else "not installed"
    told = (
        f"{test['games']} games: Elo {test['elo']:+.1f} ± {test['elo_error']:.1f}; "
        f"{low:g} against {high:g} Elo: LLR {result['llr']:+.2f}, "
        f"verdict {result['verdict'] or 'none'}. {result['weights']}: {verdict}."
    )
    return f"<p>{escape(told)}</p>"
