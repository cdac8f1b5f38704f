#!/usr/bin/env bash
# A secret ends at its first "#", and a quoted value keeps its quotes: msgspec-ext 0.5.1, its reader of .env files.
#
# Found with: msgspec-ext 0.5.1, python-dotenv 1.1.1 (PyPI, which pydantic-settings uses, for comparison), Python 3.11.
# A good guess: "drop-in", "easy migration from pydantic-settings", "production-grade robustness": the same file gives the
# same settings. A comment begins at a "#" after a blank; quotes, and blanks around the "=", are no part of the value.
# What happens: an unquoted value ends at any "#", so the token "s3cret#1" is "s3cret", and nothing is said. A quoted one
# with a comment behind it, or a blank before it, is taken for unquoted and keeps quotes and comment. In double quotes
# "\\" is undone after "\n" and others were, so that of "C:\\new" a line break is made. Single plain lines are right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check msgspec-ext==0.5.1 python-dotenv==1.1.1 2>/dev/null
cat >settings <<'ENV'
TOKEN=s3cret#1
TITLE="Club night" # shown on the page
HOST = "localhost"
FOLDER="C:\\new"
PLAIN=eight # games at once
QUOTED="s3cret#1"
ENV
cat >see.py <<'PY'
from dotenv import dotenv_values
from msgspec_ext.fast_dotenv import parse_env_file

told, right = parse_env_file("settings"), dotenv_values("settings")
for name, value in right.items():
    print(f"{name}: {told[name]!r}; by python-dotenv {value!r}")
assert {name for name in right if told[name] != right[name]} == {"TOKEN", "TITLE", "HOST", "FOLDER"}
PY
echo "msgspec-ext 0.5.1; guess: the same six values"
env/bin/python see.py
