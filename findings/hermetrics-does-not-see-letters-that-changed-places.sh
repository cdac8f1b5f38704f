#!/usr/bin/env bash
# "teh" is two errors from "the", where the metric for changed places counts one: npm's hermetrics 1.2.15.
#
# Found with: hermetrics 1.2.15 (npm, 3,900 downloads a month), Node 20.
# A good guess: `DamerauLevenshtein` counts two neighbouring letters that changed places as one error; its README says that
# it is like `OSA` without a restriction of that. So it is never more than `OSA`, and "ca" is 2 from "abc", not 3.
# What happens: a change of places costs too much: to the 1 of the change the distance of the two places is added, 1 for
# neighbours, where the number of letters between them belongs, 0. So for no two words of up to four letters a, b and c is
# it less than `Levenshtein`, which knows no changed places; wherever `OSA` is less than that, it is more than `OSA`, and
# its similarity of "ab" and "ba" is 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit hermetrics@1.2.15 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const { DamerauLevenshtein, Levenshtein, OSA } = require("hermetrics");

const [damerau, plain, osa] = [new DamerauLevenshtein(), new Levenshtein(), new OSA()];

/** The least number of insertions, deletions, replacements and changes of neighbours' places, by trying all of them. */
const LETTERS = [..."abc"];
function neighbours(word) {
  const found = new Set();
  for (let place = 0; place <= word.length; place++) {
    const [before, after] = [word.slice(0, place), word.slice(place)];
    for (const letter of LETTERS) found.add(before + letter + after);
    if (!after) continue;
    found.add(before + after.slice(1));
    for (const letter of LETTERS) found.add(before + letter + after.slice(1));
    if (after.length > 1) found.add(before + after[1] + after[0] + after.slice(2));
  }
  return found;
}
function byTrying(from, longest) {
  const steps = new Map([[from, 0]]);
  for (const [word, step] of steps) {
    for (const next of neighbours(word)) if (next.length <= longest && !steps.has(next)) steps.set(next, step + 1);
  }
  return steps;
}

for (const [from, to, guess, seen] of [
  ["teh", "the", 1, 2],
  ["ab", "ba", 1, 2],
  ["ca", "abc", 2, 3],
  ["abc", "abd", 1, 1],
]) {
  const found = damerau.distance(from, to);
  const others = `OSA ${osa.distance(from, to)}, Levenshtein ${plain.distance(from, to)}`;
  console.log(`${from} ${to}: guess ${guess}, found ${found}; ${others}`);
  assert.equal(found, seen);
}
assert.equal(damerau.similarity("ab", "ba"), 0);

let words = [""];
for (let round = 0; round < 4; round++) {
  words = [...new Set(words.flatMap((word) => [word, ...LETTERS.map((each) => word + each)]))];
}
let [pairs, wrong] = [0, 0];
for (const from of words) {
  const steps = byTrying(from, 6);
  for (const to of words) {
    const found = damerau.distance(from, to);
    assert.ok(found >= plain.distance(from, to));
    pairs += 1;
    wrong += found !== steps.get(to);
    if (osa.distance(from, to) < plain.distance(from, to)) assert.ok(found > osa.distance(from, to));
  }
}
console.log(`words of up to four letters a, b and c: ${wrong} of ${pairs} distances are not the least number of errors`);
assert.deepEqual([wrong, pairs], [1032, 14641]);
JS
echo "hermetrics 1.2.15"
node see.cjs
