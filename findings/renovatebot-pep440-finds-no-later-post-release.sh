#!/usr/bin/env bash
# After 1.0.post1 there is no 1.0.post2: npm's @renovatebot/pep440 5.0.1.
#
# Found with: @renovatebot/pep440 5.0.1 (npm), packaging 25.0 (PyPI) for comparison, Node 20.
# A good guess: specifiers mean what PEP 440 says and pip does: ">1.7.post2 will allow 1.7.1 and 1.7.0.post3 but not 1.7.0",
# "<V.rc1" allows earlier pre-releases, an epoch counts before the release, and 1 is 1.0.0, so it is within ~=1.0.0.
# What happens: "<" and ">" refuse each version with the same release numbers, without a look at post, pre-release and
# epoch ("simplified", says a comment in the source; the README does not), and "~=" compares the numbers without the zeros
# that are to be added. ">=" finds the later ones.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @renovatebot/pep440@5.0.1 >/dev/null
python3 -m venv env
env/bin/pip install -q packaging==25.0 2>/dev/null
cat >see.py <<'PY'
import json
import subprocess

from packaging.specifiers import SpecifierSet

wrong = [
    ("1.7.0.post3", ">1.7.post2"),
    ("1.0rc2", ">1.0rc1"),
    ("1.0b1", "<1.0rc1"),
    ("1!2.0", ">2.0"),
    ("1", "~=1.0.0"),
]
right = [("1.7.1", ">1.7.post2"), ("1.7.0.post3", ">=1.7.post2"), ("1!2.0", ">=2.0"), ("1.0", "~=1.0.0")]
asked = json.dumps(wrong + right)
code = f"""const {{ satisfies }} = require("@renovatebot/pep440");
const answers = {asked}.map(([version, range]) => satisfies(version, range, {{ prereleases: true }}));
console.log(JSON.stringify(answers));"""
found = json.loads(subprocess.check_output(["node", "-e", code]))
for (version, range_), answer in zip(wrong + right, found, strict=True):
    other = SpecifierSet(range_).contains(version, prereleases=True)
    print(f"{version} within {range_}: npm {answer}, packaging {other}")
    assert other
assert found == [False] * len(wrong) + [True] * len(right)
PY
echo "@renovatebot/pep440 5.0.1; guess: all true"
env/bin/python see.py
