#!/usr/bin/env bash
# What two ranges share takes in what one of them refuses: npm's semver-intersect 1.5.0 and @voxpelli/semver-set 7.0.0.
#
# Found with: semver-intersect 1.5.0, @voxpelli/semver-set 7.0.0 (npm), semver 7.8.6 for comparison, Node 20.
# A good guess: `intersect` returns a range of just the versions that both ranges hold.
# What happens: the bounds are found, and then made shorter from their lower end alone: semver-intersect writes each pair
# of bounds with one major as "~LOWER", so "^1.2.3" and "<1.2.5" give "~1.2.3", which holds 1.2.5 and above, and "<2.0.0" of
# all versions is "0", without any 1.x. semver-set takes ">1.2.3" for ">=1.2.3" once there is an upper bound.
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

for (const [name, intersect, one, other, seen, version, shared] of [
  ["semver-intersect", old.intersect, "^4.0.0", "~4.3.0", "~4.3.0", "4.3.9", true],
  ["semver-intersect", old.intersect, "^1.2.3", "<1.2.5", "~1.2.3", "1.2.7", false],
  ["semver-intersect", old.intersect, ">=1.0.0 <3.0.0", ">=1.2.3", "^1.2.3", "2.4.0", true],
  ["semver-intersect", old.intersect, "*", "<2.0.0", "0", "1.2.0", true],
  ["semver-set", set.intersect, ">=1.2.3", "^1.0.0", "^1.2.3", "1.2.3", true],
  ["semver-set", set.intersect, ">1.2.3", "^1.0.0", "^1.2.3", "1.2.3", false],
]) {
  const found = intersect(one, other);
  const within = semver.satisfies(version, found);
  console.log(`${name}: ${one} and ${other} are ${found}; ${version}: in both ${shared}, in this ${within}`);
  assert.equal(found, seen);
  assert.equal(semver.satisfies(version, one) && semver.satisfies(version, other), shared);
  assert.equal(within === shared, ["4.3.9", ">=1.2.3"].some((text) => [version, one].includes(text)));
}
JS
node see.mjs
