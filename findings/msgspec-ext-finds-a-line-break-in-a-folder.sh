#!/usr/bin/env bash
# The folder C:\new becomes "C:\" and "ew" on two lines, and a title keeps its quotes: msgspec-ext 0.5.1, `load_dotenv`.
#
# Found with: msgspec-ext 0.5.1, python-dotenv 1.1.1 (PyPI, which pydantic-settings uses, for comparison), Python 3.11.
# A good guess: "easy migration from pydantic-settings": the same .env file gives the same settings. In double quotes "\\"
# is a backslash; quotes are no part of the value, whether a comment follows them or not.
# What happens: "\\" is undone last, after "\n" and others were looked for, so of "C:\\new" a line break is made. A value
# in quotes with a comment behind it, or a blank before it, is taken for unquoted: it keeps its quotes, and in the first
# case the comment, too.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check msgspec-ext==0.5.1 python-dotenv==1.1.1 2>/dev/null
cat >settings <<'ENV'
CLUB_FOLDER="C:\\new"
CLUB_TITLE="Club night" # shown on the page
CLUB_PLACE = "town hall"
CLUB_GAMES=eight # at one time
CLUB_TOKEN="s3cret#1"
ENV
cat >see.py <<'PY'
import os

from dotenv import dotenv_values
from msgspec_ext import load_dotenv

assert load_dotenv("settings", override=True)
right = dotenv_values("settings")
for name, value in right.items():
    print(f"{name}: {os.environ[name]!r}; by python-dotenv {value!r}")
assert {name for name in right if os.environ[name] != right[name]} == {"CLUB_FOLDER", "CLUB_TITLE", "CLUB_PLACE"}
assert os.environ["CLUB_FOLDER"].splitlines()[1] == "ew"
PY
echo "msgspec-ext 0.5.1; guess: the same five values"
env/bin/python see.py
