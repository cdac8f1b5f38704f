#!/usr/bin/env bash
# "1.0.dev1" is newer than "1.0b2", and version 3 is one of "3.9.*": pep440-rs 0.6.5.
#
# Found with: pep440-rs 0.6.5 (PyPI, the newest there), packaging 26.4 for comparison.
# A good guess: versions stand in the order of PEP 440, which it "implements": 1.0.dev1, 1.0a1, 1.0b2, 1.0rc1, 1.0; and
# "==3.9.*" takes 3.9 and what begins with it, where a shorter version is filled up with zeros (3 is 3.0).
# What happens: a development release stands after every alpha, beta and candidate of the same version. And of a pattern
# only as many numbers are looked at as the version has: 3 matches "==3.9.*", 3.9 matches "==3.9.1.*", and "!=3.9.*"
# throws 3 away. So what picks the newest, or what is allowed, picks another one; nothing is raised.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q pep440-rs==0.6.5 packaging==26.4 2>/dev/null
cat >see.py <<'PY'
import packaging.specifiers
import packaging.version
import pep440_rs

names = ["1.0.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0"]
by_standard = sorted(names, key=packaging.version.Version)
found = [str(version) for version in sorted(pep440_rs.Version(name) for name in reversed(names))]
print(f"by the standard {by_standard}\nby pep440-rs    {found}")
assert (by_standard, found) == (names, ["1.0a1", "1.0b2", "1.0rc1", "1.0.dev1", "1.0"])

for version, pattern, standard, seen in (
    ("3.9.1", "==3.9.*", True, True),
    ("3.8", "==3.9.*", False, False),
    ("3", "==3.9.*", False, True),
    ("3.9", "==3.9.1.*", False, True),
    ("3", "!=3.9.*", True, False),
):
    assert packaging.specifiers.SpecifierSet(pattern).contains(version) is standard
    found = pep440_rs.VersionSpecifier(pattern).contains(pep440_rs.Version(version))
    print(f"{version} and {pattern}: by the standard {standard}, found {found}")
    assert found is seen
PY
echo "pep440-rs 0.6.5; guess: both orders are the same, and so are the answers"
env/bin/python see.py
