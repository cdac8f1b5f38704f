#!/usr/bin/env bash
# A sum without its best and its worst is larger than the whole sum: the tie-break "median" of chessdirector 2.1.0.
#
# Found with: chessdirector 2.1.0 (PyPI), its offline engine, `compute` of tie-breaks.
# A good guess: "median" is Buchholz (the sum of the opponents' scores) without the highest and the lowest. For a round
# that was not played both count the player's own score once, as the library says ("the missing opponent is credited
# with the player's own final score").
# What happens: Buchholz does so; in "median" and "modified_median" each of n rounds that were not played counts n times
# the score. With one bye it cannot be seen. Who stayed away for three rounds has 25 in place of 10.5 (and a Buchholz of
# 17.5), and so stands above all with equal points.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check chessdirector==2.1.0
cat >see.py <<'PYTHON'
from importlib.metadata import version

from paircraft.local.models import PLAYED_RESULTS, Pairing, Player, points_for
from paircraft.local.tiebreaks import compute

# White wins each game; "ann" stays away from round 3 on, with half a point each.
ROUNDS = (
    ("ann bob", "cid dan", "eve fay"),
    ("ann cid", "bob eve", "dan fay"),
    ("bob cid", "dan eve", "fay", "ann"),
    ("bob dan", "cid fay", "eve", "ann"),
    ("bob fay", "cid eve", "dan", "ann"),
)

players = {name: Player(id=name, name=name) for name in ("ann", "bob", "cid", "dan", "eve", "fay")}
pairings = []
for number, boards in enumerate(ROUNDS, 1):
    for board in boards:
        white, *black = board.split()
        result = "1-0" if black else "half-bye" if white == "ann" else "bye"
        pairings.append(
            Pairing(round=number, white_id=white, black_id=black[0] if black else None, result=result, is_bye=not black)
        )
        for name, points in zip((white, *black), points_for(result)):
            players[name].score += points


def guess(name):
    """Buchholz, and the median: of opponents' scores, the own score for each round that was not played."""
    scores = []
    for each in pairings:
        if name in each.players:
            other = [who for who in each.players if who != name]
            scores.append(players[other[0] if each.result in PLAYED_RESULTS else name].score)
    return sum(scores), sum(sorted(scores)[1:-1])


print("chessdirector", version("chessdirector"))
found = compute(list(players.values()), pairings, methods=("buchholz", "median"))
for name, player in players.items():
    away = sum(name in each.players and each.result not in PLAYED_RESULTS for each in pairings)
    told = (found[name]["buchholz"], found[name]["median"])
    print(f"{name}: {player.score} points, {away} rounds not played; guess {guess(name)}, found {told}")
    assert told[0] == guess(name)[0]
    assert (told[1] == guess(name)[1]) == (away < 2)
assert found["ann"]["median"] > found["ann"]["buchholz"]
PYTHON
env/bin/python see.py
