#!/usr/bin/env bash
# Make .venv from the lock file: uv where there is one, else venv and pip.
set -euo pipefail
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "mancala arena needs Python 3.11 or newer; $python is $("$python" --version 2>&1)" >&2
  exit 1
}
if command -v uv >/dev/null; then
  [ -d .venv ] || uv venv --quiet --python "$python" .venv
  uv pip install --quiet --python .venv/bin/python --require-hashes -r requirements.lock
  uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
else
  if [ ! -x .venv/bin/pip ] && ! "$python" -m venv .venv 2>/dev/null; then
    bash scripts/need.sh python3-venv
    "$python" -m venv --clear .venv
  fi
  .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
  .venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
fi
touch .venv/ready
