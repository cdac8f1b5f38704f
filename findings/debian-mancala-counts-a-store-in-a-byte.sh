#!/usr/bin/env bash
# The winner, with 161 of 240 stones, has -95 and is declared the loser: Debian's mancala 1.0.3.
#
# Found with: mancala 1.0.3-1+b1 (Debian 12), `mancala max-ply-top max-ply-bottom number-of-stones`.
# A good guess: the number of stones per hole, for which neither the manual page nor the usage names a bound, may be
# 15 or 20; the one with more stones in the store wins.
# What happens: each store is counted in a byte with a sign. From 11 stones per hole on a store may pass 127: it is
# shown as a negative number and compared as one. Nothing is said; with the usual 4 stones the game is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download mancala=1.0.3-1+b1 >download 2>&1 || { cat download; exit 1; }
dpkg -x mancala_*.deb .
cat >see.py <<'PYTHON'
import re
import subprocess

for _ in range(200):  # its searches draw between equal moves
    command = ("usr/games/mancala", "2", "1", "20")
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    said, end = re.search(r"=== Game over; (.*) ===(.*)", text, re.DOTALL).groups()
    top, bottom = map(int, re.search(r"(-?\d+) -\S*- *(-?\d+)", end).groups())
    assert (top + bottom) % 256 == 240, (top, bottom)
    if -128 <= top < 0 < bottom and top % 256 > bottom:
        break
else:
    raise SystemExit("no store passed 127 in 200 games")
print(f"20 stones in each hole, 240 in all; at the end top {top}, bottom {bottom}: {said}")
print(f"there are {240 - bottom} in the store at the top")
assert said == "player at bottom wins"
PYTHON
dpkg-deb -f mancala_*.deb Package Version
echo "guess: the player with more stones wins"
python3 see.py
