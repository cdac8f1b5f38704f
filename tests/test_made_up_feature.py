"""Features added to the evaluation in a copy of the sources: what that takes, and what follows."""

from pathlib import Path
from typing import Final, NamedTuple

from tests.sources import copy_sources, edited, run_in


class Insertion(NamedTuple):
    """Lines that are put behind a place of a file."""

    path: str
    behind: str
    lines: str


FEATURES: Final = "engine/evaluation/features.py"
KERNEL: Final = "engine/kernels/evaluation.py"
CLASSROOM: Final = "docs/classroom.md"
COUNTS: Final = """\
def _lone(position: Cells) -> int:
    return sum(seeds == 1 for seeds in _row(position))


def _gap(position: Cells) -> int:
    return max(_row(position)) - min(_row(position))


"""
DESCRIPTIONS: Final = """\
    Feature("lone", "pits with one seed", 0.25, -0.125, _lone, by_pit=True),
    Feature("gap", "seeds of the fullest pit less those of the emptiest", 0.5, -0.25, _gap, size=4),
"""
COMPILED: Final = '''\
@inlined
def gap(v: Variant, words: Words, at: np.uint64) -> Int:
    """Return the seeds of the fullest pit less those of the emptiest."""
    least = most = hand_at(words, at, 0)
    for pit in range(v.pits):
        least, most = min(least, hand_at(words, at, pit)), max(most, hand_at(words, at, pit))
    return np.int64(most - least)


'''
WEIGHED: Final = """\
    value += w[BOARD + U3] * gap(v, words, at) + w[BOARD_OTHERS + U3] * gap(v, words, at + U1)
"""
LEARNT: Final = """\
  my_lone              +0.01
  their_lone           -0.01
  my_gap               +0.01
  their_gap            -0.01
"""
INSERTIONS: Final = (
    Insertion(FEATURES, "    return _capture(_after_chain(position)[1])\n\n\n", COUNTS),
    Insertion(FEATURES, "_chain_capture, size=4),\n", DESCRIPTIONS),
    Insertion(KERNEL, "PAIR = np.uint64(63)\n\n\n", COMPILED),
    Insertion(KERNEL, "hand_at(words, at + U1, pit), MAX_COUNT)]\n", WEIGHED),
    Insertion(CLASSROOM, "  their_chain_capture  -0.17\n", LEARNT),
)
"""Two features: one of single pits, which needs nothing of the kernel, and one of the board."""
TESTS: Final = (
    *("tests/engine/evaluation/test_weights.py", "tests/engine/classics/test_weighted.py"),
    *("tests/engine/classics/test_td.py", "tests/docs/test_classroom.py"),
    "tests/bot/players/test_registry.py::test_every_weight_is_an_option_with_its_range",
)
"""They compare the compiled evaluation with the plain one, name by name, and read the document."""
FOLLOWS: Final = """
from mancala.bot.players.engine_options import WEIGHT_OPTIONS
from mancala.engine.evaluation.features import NAMES
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.evaluation.weights import Weights, shipped
from mancala.engine.tuning.cmaes_tuner import parameters_of
from mancala.engine.tuning.fit import LabelledPosition, rows_of

ours = {"my_lone", "their_lone", "my_gap", "their_gap"}
assert ours <= {option.name for option in WEIGHT_OPTIONS}
assert ours <= {each.name for each in parameters_of(Weights(), SearchOptions())}
assert not any(shipped()[name] for name in ours)
(row,) = rows_of([LabelledPosition("<6,0,0,1,0,1,9,2,2,1,3,3,3,3,3>", 0.0)]).named
counts = dict(zip(NAMES, row.tolist(), strict=True))
assert [counts[name] for name in sorted(ours)] == [9, 2, 2, 1], counts
"""


PLAIN: Final = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore::RuntimeWarning"}
"""Kernels as plain Python need no compiler; their words wrap with a warning."""


def test_a_feature_takes_its_description_its_kernel_and_a_line_of_a_document(
    tmp_path: Path,
) -> None:
    """Options, files, tuning, the plain count and the learner follow; shipped files stay."""
    copy = copy_sources(tmp_path, "tests", "docs", "pyproject.toml")
    for path, behind, lines in INSERTIONS:
        edited(copy, path, behind, behind + lines)
    assert len({each.path for each in INSERTIONS}) <= 4
    followed = run_in(copy, "-c", FOLLOWS, **PLAIN)
    assert not followed.stderr
    pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning")
    tried = run_in(copy, *pytest, *TESTS, **PLAIN)
    assert tried.returncode == 0, tried.stdout
