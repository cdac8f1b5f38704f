#!/usr/bin/env bash
# "values: Union[List[float], List[int]]", and a list of whole numbers raises: the voting rules of OpenSpiel 2.0.2.
#
# Found with: open_spiel 2.0.2 (PyPI, among its 10,000 most downloaded), numpy 2.4.6; `open_spiel.python.voting`, for
# ranking agents by many tasks.
# A good guess: `add_vote_from_values` makes a vote of what each agent has scored in a task, and its signature says that
# these may be whole numbers, as points are: [30, 10, 20] says the same as [30.0, 10.0, 20.0].
# What happens: a little noise that shall break ties is added in place, which NumPy refuses for whole numbers
# (UFuncTypeError), also with tie_tolerance=0, by which the text says that it is switched off. One fraction in the list
# is enough for it to work, so that tasks whose scores happen to be all whole are the ones that fail.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q open_spiel==2.0.2 numpy==2.4.6 2>/dev/null
cat >see.py <<'PY'
from open_spiel.python.voting.base import PreferenceProfile

for values, tolerance in (([30.0, 10.0, 20.0], 1e-10), ([30, 10, 20.5], 1e-10), ([30, 10, 20], 1e-10), ([30, 10, 20], 0)):
    profile = PreferenceProfile(alternatives=["ann", "bob", "cy"])
    try:
        profile.add_vote_from_values(values, tie_tolerance=tolerance)
        found = profile.votes[0].vote
    except TypeError as error:
        found = type(error).__name__
    print(f"{values}, tie_tolerance={tolerance}: {found}")
    assert found == (["ann", "cy", "bob"] if any(isinstance(value, float) for value in values) else "UFuncTypeError")
PY
echo "open_spiel 2.0.2; guess: ['ann', 'cy', 'bob'], four times"
env/bin/python see.py
