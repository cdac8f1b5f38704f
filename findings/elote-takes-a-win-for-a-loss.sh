#!/usr/bin/env bash
# A comparison of NumPy numbers turns the table upside down: elote 1.5.1 takes only Python's own `True` for a win.
#
# Found with: elote 1.5.1 (PyPI), numpy 2.4.6; `LambdaArena`, whose function says whether its first player won.
# A good guess: what is true is a win: `lambda a, b: points[a] > points[b]` ranks the same whether `points` is a
# list or an array; and 1, 0.5 and 0 mean what they mean in a chess table, as they do for the `outcome` of `matchup`.
# What happens: the answer is compared by `is True` and `is None`; everything else is a win of the second player: 1,
# 0.5, and NumPy's and pandas' True. Nothing is said, and the best is last.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check elote==1.5.1 numpy==2.4.6
cat >see.py <<'PYTHON'
from importlib.metadata import version
from itertools import combinations

import numpy
from elote import LambdaArena

print("elote", version("elote"), "numpy", version("numpy"))
print("guess: the same table for a list and an array; 1, 0.5, 0 are win, draw, loss")


def table(points):
    """The names, best first, after each met each ten times."""
    arena = LambdaArena(lambda first, second: points[first] > points[second])
    arena.tournament(10 * list(combinations(range(len(points)), 2)))
    return ["ABCD"[row["competitor"]] for row in arena.leaderboard()]


strengths = [40, 30, 20, 10]
print("list: ", table(strengths))
print("array:", table(numpy.array(strengths)))
assert table(strengths) == ["A", "B", "C", "D"]
assert table(numpy.array(strengths)) == ["D", "C", "B", "A"]


def winner(**how):
    """Who has the higher rating after one game; "-" for nobody."""
    arena = LambdaArena(lambda first, second: how.get("answer"))
    arena.matchup("first", "second", outcome=how.get("outcome"))
    first, second = (arena.competitors[name].rating for name in ("first", "second"))
    return "-" if first == second else "first" if first > second else "second"


for points in (1.0, 0.5, 0.0):
    print(f"{points}: as `outcome` {winner(outcome=points)}, as the function's answer {winner(answer=points)}")
assert [winner(outcome=points) for points in (1.0, 0.5, 0.0)] == ["first", "-", "second"]
assert [winner(answer=points) for points in (1.0, 1, 0.5, 0.0)] == 4 * ["second"]
assert (winner(answer=True), winner(answer=None)) == ("first", "-")
PYTHON
env/bin/python see.py 2>/dev/null
