"""The page of a run of ``mancala tune --play``."""

from __future__ import annotations

from engine.tuning.cmaes_tuner import Generation, Parameter, Place, Trial
from scripts.tuning.page import page
from tests.scripts.views.pages import well_formed

PARAMETERS = (Parameter("tempo", -1.0, 1.0, 0.0, 1 / 64, Place.WEIGHTS),)


def generation(number: int) -> Generation:
    """Make up a generation of two candidates and two openings."""
    trials = (Trial((0.5,), ((3, -1), (2, 8))), Trial((-0.25,), ((-3, -1), (0, 0))))
    return Generation(number, trials)


def test_a_page_can_be_read_from_the_first_generation_on() -> None:
    """One point is a picture, too; a browser that is left open looks again."""
    text = page("mancala tune --play <now>", PARAMETERS, [generation(0)], None)
    well_formed(text)
    assert "Generations so far: 1. mancala tune --play &lt;now&gt;" in text
    assert 'http-equiv="refresh"' in text
    assert "generation 0: +0.07" in text


def test_a_page_grows_with_the_generations() -> None:
    """Each course has a point a generation."""
    text = page("mancala tune --play", PARAMETERS, [generation(n) for n in range(5)], None)
    assert text.count("<polyline") == 2
    assert "tempo 4: 0.12 ± 0.38" in text
