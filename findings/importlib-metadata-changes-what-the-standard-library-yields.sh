#!/usr/bin/env bash
# Importing a backport changes what the standard library returns: importlib_metadata 10.2.0 makes
# `importlib.metadata` of Python raise for a package that is half installed.
#
# Found with: importlib_metadata 10.2.0 (PyPI), Python 3.11.
# A good guess: the backport is a module of its own, so that some dependency imports it makes no difference
# to code that uses the standard library's `importlib.metadata` alone.
# What happens: the backport puts its finder before Python's own, so `importlib.metadata.distributions()`
# then yields the backport's objects. For a folder `.dist-info` without METADATA, as an install leaves it
# that was broken off, `.name` is None before that import, and raises MetadataNotFound after it. That is a
# FileNotFoundError, which code that looks at files may well take for something else.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check importlib_metadata==10.2.0
mkdir -p half/seeds-1.0.dist-info
cat >see.py <<'PYTHON'
import sys
from importlib.metadata import distributions

(before,) = distributions(path=["half"])
print("before the import:", type(before).__module__, repr(before.name))
assert type(before).__module__ == "importlib.metadata" and before.name is None
import importlib_metadata

(after,) = distributions(path=["half"])
print("after it:         ", type(after).__module__, end=" ")
try:
    print(repr(after.name))
    sys.exit("it has changed: no error")
except importlib_metadata.MetadataNotFound as error:
    print("raises", type(error).__name__)
    assert isinstance(error, FileNotFoundError)
PYTHON
python3 --version
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -i importlib
echo "guess: the standard library returns the same before and after"
env/bin/python see.py
echo "seen: an import elsewhere in the program makes the standard library raise"
