"""The pretend course: its programs, and how orders are compared."""

import shutil
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tests import node
from tests.drills.course import agreement
from tests.drills.pretend_programs import copy_of, strengths, write_course


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1, 1), (2, 2), (3, 3)], 1),
        ([(1, 3), (2, 2), (3, 1)], -1),
        ([(1, 1), (1, 2), (2, 3)], 1),
        ([(1, 1), (2, 3), (3, 2)], 1 / 3),
        ([], 0),
    ],
)
def test_orders_agree_by_the_pairs_that_are_not_tied(
    pairs: list[tuple[float, float]], expected: float
) -> None:
    """Programs of one strength may be in any order."""
    assert agreement(pairs) == pytest.approx(expected)


def test_strengths_fall_from_place_to_place() -> None:
    """Who sees less far never strays less."""
    found = strengths(10)
    assert found[0] == (8, 0)
    assert all(one[0] >= other[0] and one[1] < other[1] for one, other in pairwise(found))


def test_a_course_has_all_kinds_and_its_programs_are_made(tmp_path: Path) -> None:
    """A program of graded strength compiles without a warning, and so does its copy."""
    make = shutil.which("make") or ""
    if not make or shutil.which("cc") is None:
        node.skip("not installed: build-essential")
    kinds = write_course(tmp_path, 12)
    copy_of(tmp_path, "strong-00-0", "copy")
    assert Counter(kinds.values()) == {"strong": 6, "starter": 2, "classic": 2, "broken": 2}
    for team in ("strong-00-0", "copy"):
        folder = tmp_path / "teams" / team
        made = subprocess.run([make], cwd=folder, capture_output=True, check=True)
        assert made.stderr == b""
        board = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"
        answered = subprocess.run(
            [folder / team],
            input=f"{board} 100\nposition {board}\ngo 100 #1\nquit\n".encode(),
            capture_output=True,
            check=True,
        )
        assert answered.stdout.splitlines()[-1] == b"done #1"
