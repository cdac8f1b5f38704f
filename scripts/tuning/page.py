"""The page of a run of ``mancala tune --play``: fitness and parameters by generation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from scripts.views import charts
from scripts.views.report import document, section

if TYPE_CHECKING:
    from engine.tuning.cmaes_tuner import Generation, Parameter

RELOAD_S: Final = 5
"""Seconds after which a browser reloads the page of a run in progress."""


def page(
    command: str,
    parameters: Sequence[Parameter],
    generations: Sequence[Generation],
    result: dict[str, Any] | None,
) -> str:
    """Return the page as HTML.

    Args:
        command: the command line.
        parameters: the parameters that are tuned.
        generations: the generations played so far, at least one.
        result: the result of the run; None while it is in progress.
    """
    sections = [
        section(
            "Fitness",
            "Mean result of a generation's candidates against the start, -1 to 1; 0 is equal. "
            "A game counts tanh(margin / 12 seeds). The band is a 95 % interval over the "
            "openings, which all candidates of a generation share.",
            charts.course(
                [charts.Interval(f"generation {g.number}", *g.fitness) for g in generations],
                level=0.0,
                form="{:+.2f}",
                size=(charts.WIDTH, charts.PLOT_HEIGHT),
            ),
        ),
        section(
            "Parameters",
            "Mean and standard deviation over the candidates; the dashed line is the start.",
            f'<div class="several">{"".join(_figures(parameters, generations))}</div>',
        ),
    ]
    if result is not None:
        sections.insert(0, section("Test", "The weights found, against the start.", _test(result)))
    facts = f"Generations so far: {len(generations)}. {command}"
    reload_s = RELOAD_S if result is None else None
    return document("Tuning by play", facts, sections, reload_s=reload_s)


def _figures(parameters: Sequence[Parameter], generations: Sequence[Generation]) -> Iterator[str]:
    for at, each in enumerate(parameters):
        points = [charts.Interval(f"{each.name} {g.number}", *g.course(at)) for g in generations]
        drawing = charts.course(points, level=each.start, form="{:.2f}")
        yield f"<figure><figcaption>{escape(each.name)}</figcaption>{drawing}</figure>"


def _test(result: dict[str, Any]) -> str:
    test = result["test"]
    low, high = test["bounds"]
    verdict = "installed" if result["installed"] else "not installed"
    summary = (
        f"{test['games']} games: Elo {test['elo']:+.1f} ± {test['elo_error']:.1f}; "
        f"{low:g} against {high:g} Elo: LLR {result['llr']:+.2f}, "
        f"verdict {result['verdict'] or 'none'}. {result['weights']}: {verdict}."
    )
    return f"<p>{escape(summary)}</p>"
