#!/usr/bin/env bash
# `import draughts`, and the program's own warnings and errors are gone: py-draughts 1.10.1.
#
# Found with: py-draughts 1.10.1, loguru 0.7.3 (PyPI), Python 3.11.
# A good guess: a library that logs with loguru leaves the handlers to the program and is silent by `logger.disable(...)`,
# as loguru's documentation has it for libraries; what the program itself logs goes to stderr as before.
# What happens: on import the library removes handler 0, loguru's default. There is one logger for all, so a program that
# logs with loguru and added no handler of its own says nothing from then on, errors and tracebacks included.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check py-draughts==1.10.1 loguru==0.7.3 2>/dev/null
cat >see.py <<'PY'
import sys

from loguru import logger

logger.warning("before the import")
if "draughts" in sys.argv:
    import draughts

    assert draughts.Board().legal_moves
logger.error("a game was lost: the bot does not answer")
PY
echo "py-draughts 1.10.1; guess: 2 lines both times"
for first in nothing draughts; do
  env/bin/python see.py $first 2>"$first" || { cat "$first"; exit 1; }
  echo "import of $first: $(wc -l <"$first") lines of the log"
  cut -d '|' -f 2- "$first"
done
test "$(wc -l <nothing)" -eq 2
test "$(wc -l <draughts)" -eq 1
grep -q "before the import" draughts
