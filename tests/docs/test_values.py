"""The table of values of small games stands on its certificates."""

import json
import runpy
from pathlib import Path
from typing import Final

import pytest

from docs import values
from docs.values import PAGE, Game
from mancala.engine.campaign.home import CERTIFICATE
from mancala.engine.knowledge import Bounds
from mancala.protocol.rules import Board

CHECKED: Final = runpy.run_path("docs/certificates/check.py")
"""The checker in plain Python, which has rules of its own."""


@pytest.fixture(scope="module")
def certificates() -> dict[Game, str]:
    return {game: text.decode() for game, text in values.archived().items()}


def test_each_value_of_the_page_has_a_certificate(certificates: dict[Game, str]) -> None:
    """The tables are those that the certificates make, and each is of the game it is named for."""
    for game, text in certificates.items():
        header = json.loads(text.partition("\n")[0])
        assert header["board"] == Board.start(game.rules).text
        assert header["rules"] == str(game.rules)
        assert header["low"] <= header["high"]
    proven = values.values_of(values.archived())
    assert str(proven[Game("kalah", 6, 6)]) == "+4"
    assert sum(bounds.exact for bounds in proven.values()) >= 100
    page = PAGE.read_text()
    for preset in values.TABLES:
        assert "\n".join(values.table(preset, proven)) in page


def test_the_certificates_follow_from_their_leaves(certificates: dict[Game, str]) -> None:
    """By a program of its own, which knows both ways of capture but not the article's rules."""
    for game, text in certificates.items():
        if game.preset in CHECKED["PRESETS"]:
            CHECKED["check"](text)


def test_a_proof_gives_way_to_none_of_wider_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proof that is made again and ends early leaves what was proven; an equal one replaces."""
    early, equal = Game("kalah", 1, 1), Game("kalah", 1, 2)
    before, published = values.archived(), dict[Game, bytes]()

    def prove(game: Game, directory: Path, *_limits: object) -> Bounds:
        directory.mkdir()
        (directory / CERTIFICATE).write_bytes(before[game] + b"anew")
        return Bounds(-2, 2) if game == early else values.values_of(before)[game]

    monkeypatch.setattr(values, "prove", prove)
    monkeypatch.setattr(values, "publish", published.update)
    values.main(tmp_path, presets=["kalah"], most=4, again=True, to_publish=True)
    assert published[early] == before[early]
    assert published[equal] == before[equal] + b"anew"


def test_the_values_of_the_literature_are_among_them(certificates: dict[Game, str]) -> None:
    """Irving, Donkers and Uiterwijk (2000), table 9, and CMancala."""
    published = {
        Game("kalah-empty-capture", 4, 3): 8,
        Game("kalah-empty-capture", 6, 4): 10,
        Game("kalah", 4, 3): 6,
        Game("kalah", 6, 4): 8,
    }
    for game, value in published.items():
        assert json.loads(certificates[game].partition("\n")[0])["low"] == value
