"""Files of hard positions: what a seed comes by again is not in them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mancala.engine import yardstick
from mancala.engine.dataset_files import CARD
from mancala.engine.hard_positions import FORMAT, POSITIONS, HardPlan, make, read_card
from mancala.protocol import codec
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.rules import Board, Rules

RULES = Rules(pits=3, seeds=3)
BOARDS = [Board.start(RULES).sow(pit).board for pit in range(3)]
VALUES = {0: 2, 1: 0, 2: -2}


def position(number: int, board: Board) -> ProvenPosition:
    """Return a position whose choices without thought are given, so that none is looked for."""
    standing = board.as_opening
    every: dict[str, tuple[int, ...]] = dict.fromkeys(yardstick.BASELINES, (0,))
    return ProvenPosition(number, "late", standing.text, VALUES, every, str(RULES))


@pytest.fixture
def comes_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[int]], None]:
    def have(order: list[int]) -> None:
        def made(_seed: int, number: int, *_more: object) -> ProvenPosition:
            return position(number, BOARDS[order[number]])

        monkeypatch.setattr(yardstick, "make_position", made)
        monkeypatch.setattr(yardstick, "phases_of", lambda _rules: ())

    return have


def numbers(home: Path) -> list[int]:
    with ThreadPoolExecutor(1) as executor:
        *_, count = make(home, HardPlan(str(RULES), 1, 3), executor)
    lines = [codec.from_json(line, dict) for line in (home / POSITIONS).read_bytes().splitlines()]
    assert count == len(lines) == read_card(home).positions
    return [line["number"] for line in lines]


def test_a_board_that_comes_again_is_left_out_and_the_next_ones_take_its_place(
    comes_by: Callable[[list[int]], None], tmp_path: Path
) -> None:
    """By the lowest numbers, also where an interrupted call left others."""
    comes_by([0, 0, 1, 1, 0, 2])
    assert numbers(tmp_path) == [0, 2, 5]
    whole = (tmp_path / POSITIONS).read_bytes()
    first, *_, last = whole.splitlines(keepends=True)
    later = codec.to_json(position(1, BOARDS[0]).to_dict()) + b"\n"
    for left in (later, later + first, last):
        (tmp_path / POSITIONS).write_bytes(left)
        assert numbers(tmp_path) == [0, 2, 5]
        assert (tmp_path / POSITIONS).read_bytes() == whole


def test_a_seed_that_comes_by_too_few_boards_is_refused(
    comes_by: Callable[[list[int]], None], tmp_path: Path
) -> None:
    """Instead of drawing without end; what there is stays in the file."""
    comes_by([0, 1] * 20)
    with pytest.raises(ValueError, match=r"among 30 hard positions .* only 2 boards differed"):
        numbers(tmp_path)
    assert read_card(tmp_path).positions == 2


def test_a_folder_of_an_earlier_format_is_refused_and_stays_as_it_is(
    comes_by: Callable[[list[int]], None], tmp_path: Path
) -> None:
    """The same plan made other files then: one that is complete would get another hash."""
    comes_by([0, 1, 2])
    numbers(tmp_path)
    card = codec.from_json((tmp_path / CARD).read_bytes(), dict)
    assert card.pop("format") == FORMAT
    (tmp_path / CARD).write_bytes(earlier := codec.to_json(card))
    with pytest.raises(ValueError, match="by another version; choose another folder"):
        numbers(tmp_path)
    assert (tmp_path / CARD).read_bytes() == earlier
