"""Trees that a program solves, and what they say of its search."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from mancala.scripts.course.tree_search import (
    ASKED,
    TreeAnswer,
    TreeSearch,
    answered,
    lacking,
    solution,
    trees_of,
)
from mancala.scripts.hosting.manifest import read_manifest
from mancala.scripts.sandbox.limits import SandboxLimits
from tests import node

SEARCH: Final = r"""
import re, sys
INF = float("inf")

def search(words, low, high):
    word = words.pop(0)
    if word not in ("max", "min"):
        return float(word), 1
    words.pop(0)
    best, nodes = -INF if word == "max" else INF, 1
    while words[0] != ")":
        if sys.argv[1] == "alphabeta" and low >= high:
            search(words, INF, -INF)  # reads on
            continue
        value, below = search(words, low, high)
        nodes += below
        if word == "max":
            best = max(best, value)
            low = max(low, best)
        else:
            best = min(best, value)
            high = min(high, best)
    words.pop(0)
    return best, nodes

for line in sys.stdin:
    value, nodes = search(re.findall(r"max|min|[()]|-?\d+", line), -INF, INF)
    print(f"{value:g}", nodes)
"""
TREE: Final = "max(min(3 12 8) min(2 4 6) min(14 5 2))"


def test_the_two_numbers_tell_the_searches_apart() -> None:
    """The value is one, and alpha-beta leaves out two of the thirteen nodes."""
    assert solution(TREE, TreeSearch.MINIMAX) == (3, 13)
    assert solution(TREE, TreeSearch.ALPHABETA) == (3, 11)
    for tree in trees_of(7):
        assert solution(tree, TreeSearch.MINIMAX) != solution(tree, TreeSearch.ALPHABETA)


def test_a_season_has_its_own_trees() -> None:
    """They repeat by its seed, and differ by it."""
    assert len({*trees_of(7)}) == ASKED
    assert trees_of(7) == trees_of(7) != trees_of(8)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("3 11", ""),
        (" 3.0 11", ""),
        ("3 13", "solves 0 of 1 trees as alphabeta does, by value and nodes visited; another"),
        ("", f"another answer to {TREE}: an empty line"),
        ("three", f"another answer to {TREE}: three"),
        ("(no answer: it ended with exit code 1)", "(no answer: it ended with exit code 1)"),
    ],
)
def test_an_answer_is_judged_by_both_numbers(said: str, why: str) -> None:
    """What was said is shown, and what is right is not."""
    found = lacking(TreeSearch.ALPHABETA, [TreeAnswer(TREE, said)])
    assert (why in found) if why else found == ""


def test_a_program_that_solves_no_trees_lacks_them() -> None:
    """Its manifest has to state how they are solved."""
    assert "bot.toml states no trees" in lacking(TreeSearch.MINIMAX, ())


async def test_a_program_is_asked_in_the_sandbox(tmp_path: Path) -> None:
    """Its own words say which search it is; one that fails is quoted."""
    if shutil.which("bwrap") is None:
        node.skip("not installed: bubblewrap")
    tmp_path.chmod(0o755)  # noqa: ASYNC240  # root's sandbox is a user of its own
    (tmp_path / "search.py").write_text(SEARCH)
    trees, found = trees_of(7), {}
    for word in (*TreeSearch, ""):
        manifest = read_manifest(
            f'name = "a"\nlanguage = "c"\ntrees = "python3 search.py {word}"'.encode()
        )
        found[word] = await answered(manifest, tmp_path, SandboxLimits(), trees)
    assert lacking(TreeSearch.ALPHABETA, found["alphabeta"]) == ""
    assert lacking(TreeSearch.MINIMAX, found["minimax"]) == ""
    assert "solves 0 of 20 trees" in lacking(TreeSearch.ALPHABETA, found["minimax"])
    assert "exit code 1, IndexError" in lacking(TreeSearch.ALPHABETA, found[""])
    (tmp_path / "long.py").write_text('print("(no answer" + 99 * "!")')
    manifest = read_manifest(b'name = "a"\nlanguage = "c"\ntrees = "python3 long.py"')
    first, *_, last = await answered(manifest, tmp_path, SandboxLimits(), trees)
    assert first.said == "(no answer" + 30 * "!"
    assert last.said.startswith("(no answer: it ended")
