#!/usr/bin/env bash
# A pre-release replaces the release with patch 0: npm's semver-store 0.3.0.
#
# Found with: semver-store 0.3.0 (npm), Node 20.
# A good guess: "The version must be conform with the semver specification", which has pre-releases (1.2.3-beta): each is
# kept under its name and found by it.
# What happens: each part of a version is made a number, or 0 where it is none, so 1.2.3-beta is filed as 1.2.0. Who asks
# for 1.2.0 gets the beta, its own name finds nothing. With a dot in it (2.0.0-rc.1) the value lies a level too deep: then
# "*", "the highest version available", finds nothing at all, though 1.2.0 is there.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit semver-store@0.3.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Store = require("semver-store");

const seen = (versions, asked) => {
  const store = Store();
  for (const version of versions) store.set(version, `that of ${version}`);
  const found = asked.map((version) => store.get(version));
  console.log(`kept: ${versions.join(", ")}; ${asked.map((version, i) => `${version} finds ${found[i]}`).join("; ")}`);
  return found;
};
assert.deepEqual(seen(["1.2.0"], ["1.2.0", "*"]), ["that of 1.2.0", "that of 1.2.0"]);
assert.deepEqual(seen(["1.2.0", "1.2.3-beta"], ["1.2.0", "1.2.3-beta"]), ["that of 1.2.3-beta", null]);
assert.deepEqual(seen(["1.2.0", "2.0.0-rc.1"], ["1.x", "*", "2.0.0-rc.1"]), ["that of 1.2.0", null, null]);
JS
echo "semver-store 0.3.0; guess: each name finds its own, * the highest"
node see.cjs
