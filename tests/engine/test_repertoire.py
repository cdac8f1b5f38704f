"""A repertoire is true, and keeps the value of the start against every reply it foresees."""

from random import Random

import pytest

from mancala.engine import repertoire
from mancala.engine.knowledge import Bounds, known
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import PRESETS, Board

START = Board.start()


def test_what_is_written_is_read() -> None:
    """A file holds positions with value and move, for the rules that it names."""
    lines = {repertoire.key(START): repertoire.ProvenMove(8, 2)}
    rules, read = repertoire.read(repertoire.document("kalah", lines, "a test"))
    assert rules == "kalah"
    assert {key: repertoire.parsed(text) for key, text in read.items()} == lines


def test_a_file_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that an old engine says what is wrong."""
    document = repertoire.document("kalah", {}, "a test")
    monkeypatch.setattr(repertoire, "VERSION", 2)
    with pytest.raises(ValueError, match="a repertoire of version 1; this engine reads 2"):
        repertoire.read(document)


def test_other_rules_have_no_repertoire() -> None:
    """A value holds for its own rules alone."""
    assert repertoire.find(START) is not None
    assert repertoire.find(Board.start(PRESETS["article"])) is None
    assert not repertoire.lines(PRESETS["article"].key)


@pytest.mark.parametrize(("seat", "worth"), [(0, 8), (1, -8)])
def test_the_engine_never_falls_below_the_value_of_the_start(seat: int, worth: int) -> None:
    """Whatever is replied, no move that the repertoire names gives up a seed."""
    rng = Random(6)
    engine = Engine(options=EngineOptions(tables=10))
    followed = 0
    for _ in range(20):
        board, least = START, worth
        while not board.is_over:
            pit = rng.choice(board.legal())
            if board.player == seat:
                if (line := repertoire.find(board)) is None:
                    break
                report = engine.analyse(board, Limit(nodes=1))
                assert report.exact
                assert report.value is not None
                assert report.value >= least
                pit, least, followed = line.pit, int(report.value), followed + 1
                assert report.pit == pit
            board = board.sow(pit).board
    assert followed >= 30


def test_what_a_repertoire_holds_is_known() -> None:
    """Exactly, by its value and its move."""
    line = repertoire.find(START)
    assert line is not None
    found = known(START)
    assert found is not None
    assert found.value == Bounds(line.to_go, line.to_go)
    assert found.best == line.pit
