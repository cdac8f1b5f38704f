#!/usr/bin/env bash
# Two teams of two named players, and two players come back: npm's ts-trueskill 5.1.0.
#
# Found with: ts-trueskill 5.1.0 (npm), Node 20; trueskill 0.4.5 (PyPI), of which it is a port "without multiple backends".
# A good guess: a team may be an object of names and ratings, as in Python ("rating groups" of dicts): the code for it is
# there. Each name comes back with its new rating, those that a list of the same ratings gives.
# What happens: of each team only the first name is returned; the others are computed and dropped. Who writes the answer
# over the old ratings leaves every second player as they were, game after game. With lists all is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ts-trueskill@5.1.0 >/dev/null
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check trueskill==0.4.5 2>/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { Rating, rate } from "ts-trueskill";

const lists = rate([[new Rating(), new Rating()], [new Rating(), new Rating()]]);
const named = rate([{ ann: new Rating(), bob: new Rating() }, { cas: new Rating(), dan: new Rating() }]);
const show = (team) => Object.entries(team).map(([name, rating]) => `${name} ${rating.mu.toFixed(3)}`).join(", ");
console.log("lists: ", lists.map(show).join(" | "));
console.log("named: ", named.map(show).join(" | "));
assert.deepEqual(named.map((team) => Object.keys(team)), [["ann"], ["cas"]]);
assert.deepEqual(lists.map((team) => team.length), [2, 2]);
JS
cat >see.py <<'PY'
from trueskill import Rating, rate

teams = rate([{"ann": Rating(), "bob": Rating()}, {"cas": Rating(), "dan": Rating()}])
print("Python:", " | ".join(", ".join(f"{name} {rating.mu:.3f}" for name, rating in team.items()) for team in teams))
assert [list(team) for team in teams] == [["ann", "bob"], ["cas", "dan"]]
PY
echo "ts-trueskill 5.1.0; guess: ann, bob, cas and dan"
node see.mjs
env/bin/python see.py
