#!/usr/bin/env bash
# "40... Kd7 41. e4" is written as "1. Kd7 e4": npm's cm-pgn 5.0.0.
#
# Found with: cm-pgn 5.0.0 (npm), Node 20.
# A good guess: a game that starts from a position (SetUp and FEN, PGN standard 9.7) with Black to move is written as it was
# read: "40... Kd7 41. e4", or at least from "1..." on.
# What happens: counting begins with 1 and with White, whatever the FEN says, though each move has the right `color`. Every
# pair of moves is torn apart: a file that is read and written again has Black's moves under White's numbers. Variations
# are numbered likewise. With White to move only the number of the first move is lost.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit cm-pgn@5.0.0 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { Pgn } from "cm-pgn/src/Pgn.js";

const read = (turn, moves) => new Pgn(
  `[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 ${turn} - - 0 40"]\n\n${moves}`);
const black = read("b", "40... Kd7 41. e4 (41. e3 Kd6) 41... Kd6 *");
const colours = black.history.moves.map(({ color, san }) => `${san}: ${color}`);
console.log(colours.join("; "));
console.log("Black begins:", black.history.render());
console.log("White begins:", read("w", "40. e4 Kd7 41. e5 *").history.render());
assert.deepEqual(colours, ["Kd7: b", "e4: w", "Kd6: b"]);
assert.equal(black.history.render(), "1. Kd7 e4 (1... e3 2. Kd6) 2. Kd6");
assert.equal(read("w", "40. e4 Kd7 41. e5 *").history.render(), "1. e4 Kd7 2. e5");
JS
echo "cm-pgn 5.0.0; guess: 40... Kd7 41. e4 (41. e3 Kd6) 41... Kd6 and 40. e4 Kd7 41. e5"
node see.mjs
