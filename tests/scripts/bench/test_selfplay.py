"""The measurement of the self-play environment."""

from __future__ import annotations

import json

import pytest

from mancala.scripts.bench.selfplay import main


def test_it_counts_plies_and_games(capsys: pytest.CaptureFixture[str]) -> None:
    """Each step sows one pit in each game, and games end on the way."""
    main(games=8, steps=200)
    figures = json.loads(capsys.readouterr().out)
    assert figures["plies"] == 1600
    assert figures["games"] > 8
    assert figures["plies_a_second"] >= figures["plies_a_second_with_choice"] > 0
