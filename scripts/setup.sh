#!/usr/bin/env bash
# Make .venv from the lock file with uv; where the machine has none, pip fetches the locked one.
set -euo pipefail
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "mancala arena needs Python 3.11 or newer; $python is $("$python" --version 2>&1)" >&2
  exit 1
}
if command -v uv >/dev/null; then
  uv=uv
  [ -d .venv ] || uv venv --quiet --python "$python" .venv
else
  uv=.venv/bin/uv
  if [ ! -x .venv/bin/pip ] && ! "$python" -m venv .venv 2>/dev/null; then
    bash scripts/need.sh python3-venv
    "$python" -m venv --clear .venv
  fi
  sed -n '/^uv==/,/[^\\]$/p' requirements.lock >.venv/uv.txt
  .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.txt
fi
"$uv" pip install --quiet --python .venv/bin/python --require-hashes -r requirements.lock
"$uv" pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation --editable .
touch .venv/ready
