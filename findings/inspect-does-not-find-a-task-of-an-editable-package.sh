#!/usr/bin/env bash
# A task that is found from a wheel is not found from an editable install: inspect-ai 0.3.285.
#
# Found with: inspect-ai 0.3.285 (PyPI), whose packages name their tasks by the entry point `inspect_ai`.
# A good guess: a package that is installed with `pip install -e` registers its tasks as one from a wheel does.
# What happens: the module is imported, but for an editable install Inspect looks for a *distribution* with the
# name of the *import package*. Where the two differ (distribution acme-evals, package acme) the task gets no
# prefix, and `acme/adds` is not found. Nothing says so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check inspect-ai==0.3.285 hatchling editables
mkdir -p source/acme
cat >source/pyproject.toml <<'TOML'
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "acme-evals"
version = "1"
[project.entry-points.inspect_ai]
acme = "acme.tasks"
[tool.hatch.build.targets.wheel]
packages = ["acme"]
TOML
touch source/acme/__init__.py
cat >source/acme/tasks.py <<'PYTHON'
from inspect_ai import Task, task
from inspect_ai.dataset import Sample


@task
def adds():
    return Task(dataset=[Sample("1 + 1", target="2")])
PYTHON
cat >see.py <<'PYTHON'
from inspect_ai._util.registry import registry_lookup
from inspect_ai._util.entrypoints import ensure_entry_points

ensure_entry_points("acme")
print(" acme/adds:", registry_lookup("task", "acme/adds") is not None, end=",")
print(" adds:", registry_lookup("task", "adds") is not None)
PYTHON
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -E "^inspect" | tr -s ' '
echo "guess: both installations register the task acme/adds"
for option in "" "--editable"; do
  env/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --force-reinstall --no-deps $option ./source
  echo "${option:-wheel}:$(env/bin/python see.py)" | tee -a seen
done
grep -qx "wheel: acme/adds: True, adds: False" seen
grep -qx -- "--editable: acme/adds: False, adds: True" seen
