#!/usr/bin/env bash
# A copy of a position loses the further turn, and a drawn game is won: PyPI's mancala 0.3.0.
#
# Found with: mancala 0.3.0 (PyPI, 2021), which implements Kalah(6,4) with a capture from the opposite pit.
# A good guess: `clone()` is the same position, so that a search may play on with it; 24 : 24 is a draw.
# What happens: whoever has a further turn is told by a flag `must_skip` of the *other* player, and `clone()`
# copies board and turn only. In the copy the other player moves. And of two equal stores `_winner` names
# player 0; there is no draw.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
# It wants a gym of 2020 that no present setuptools builds; its rules need no more than the name.
env/bin/pip install --quiet --disable-pip-version-check 'numpy==1.26.4' gym==0.26.2 2>/dev/null
env/bin/pip install --quiet --disable-pip-version-check --no-deps mancala==0.3.0
cat >see.py <<'PYTHON'
import numpy
from mancala.mancala import MancalaState

first = MancalaState()
first.proceed_action(2)  # four seeds from the third pit: the last one falls into the own store
copy = first.clone()
print("after a sowing that ends in the store:")
print(f"  the position: turn {first.turn}, legal {first.legal_actions(first.turn)} (the other has to pass)")
print(f"  its clone:    turn {copy.turn}, legal {[int(pit) for pit in copy.legal_actions(copy.turn)]}")
assert first.legal_actions(first.turn) is None
assert copy.legal_actions(copy.turn) == [7, 8, 9, 10, 11, 12]

board = numpy.zeros(14, dtype=numpy.int32)
board[6] = board[13] = 24
drawn = MancalaState(board=board)
print(f"24 : 24 with empty rows: the winner is player {drawn._winner}")
assert drawn._winner == 0
PYTHON
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -E "^(mancala|gym|numpy) "
echo "guess: a clone has the same moves; 24 : 24 has no winner"
env/bin/python -W ignore see.py 2>/dev/null
