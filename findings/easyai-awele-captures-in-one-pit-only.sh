#!/usr/bin/env bash
# Seeds are captured in one pit of six: easyAI's Awele.
#
# Found with: easyAI 2.0.12 (PyPI), whose example `Awele` says that its rules are those of Wikipedia's Oware.
# A good guess: a last seed that makes two or three in a pit of the opponent captures them, whichever pit it is,
# and then those before it.
# What happens: whose row a pit is of is asked by `pos / 6 == camp`, which Python 3 divides without a rest only
# for the first pit of a row. So nothing is captured elsewhere, nor in two pits by one move.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check easyAI==2.0.12
cat >see.py <<'PYTHON'
from easyAI import Human_Player
from easyAI.games.Awele import Awele

captured = {}
for pit in range(6):
    game = Awele([Human_Player(), Human_Player()])
    game.board = [0, 0, 0, 0, 0, pit + 1, 4, 4, 4, 4, 4, 4]
    game.board[6 + pit] = 1  # the last seed of the first player's pit f makes it two
    game.play_move("f")
    captured["ghijkl"[pit]] = game.players[0].score
    assert game.board[6 + pit] == (0 if captured["ghijkl"[pit]] else 2)
print("captured where the last seed makes two:", captured)
assert captured == {"g": 2, "h": 0, "i": 0, "j": 0, "k": 0, "l": 0}
PYTHON
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -E "^easyAI "
echo "guess: two seeds in each of the six pits"
env/bin/python -W ignore see.py
