#!/usr/bin/env bash
# What two ranges share takes in what one of them refuses: npm's semver-intersect 1.5.0 and @voxpelli/semver-set 7.0.0.
#
# Found with: semver-intersect 1.5.0, @voxpelli/semver-set 7.0.0 (npm), semver 7.8.6 for comparison, Node 20.
# A good guess: `intersect` and `semverIntersect` return a range of just the versions that both ranges hold.
# What happens: the bounds are found, and then made shorter from their lower end alone: semver-intersect writes a pair with
# one major (but 0) and "<" as "~LOWER", so "^1.2.3" and "<1.2.5" give "~1.2.3", which holds each 1.2.x from 1.2.5 on, and
# "<2.0.0" of all versions is "0", without any 1.x. semver-set writes a pair that ends at the next major as "^LOWER", be the
# lower end ">=" or ">", so 1.2.3 is within ">1.2.3" and "^1.0.0"; with "<1.9.0" instead the result is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit semver-intersect@1.5.0 @voxpelli/semver-set@7.0.0 semver@7.8.6 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import * as set from "@voxpelli/semver-set";
import semver from "semver";
import old from "semver-intersect";

for (const [name, intersect, one, other, seen, version, shared, right] of [
  ["semver-intersect", old.intersect, "^4.0.0", "~4.3.0", "~4.3.0", "4.3.9", true, true],
  ["semver-intersect", old.intersect, "^1.2.3", "<1.2.5", "~1.2.3", "1.2.7", false, false],
  ["semver-intersect", old.intersect, ">=1.0.0 <3.0.0", ">=1.2.3", "^1.2.3", "2.4.0", true, false],
  ["semver-intersect", old.intersect, "*", "<2.0.0", "0", "1.2.0", true, false],
  ["semver-set", set.semverIntersect, ">=1.2.3", "^1.0.0", "^1.2.3", "1.2.3", true, true],
  ["semver-set", set.semverIntersect, ">1.2.3", "<1.9.0", ">1.2.3 <1.9.0", "1.2.3", false, true],
  ["semver-set", set.semverIntersect, ">1.2.3", "^1.0.0", "^1.2.3", "1.2.3", false, false],
]) {
  const found = intersect(one, other);
  const within = semver.satisfies(version, found);
  console.log(`${name}: ${one} and ${other} are ${found}; ${version}: in both ${shared}, in this ${within}`);
  assert.equal(found, seen);
  assert.equal(semver.satisfies(version, one) && semver.satisfies(version, other), shared);
  assert.equal(within === shared, right);
}
JS
node see.mjs
