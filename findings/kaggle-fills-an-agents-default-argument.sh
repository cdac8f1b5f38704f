#!/usr/bin/env bash
# An agent's own default argument is overwritten: kaggle-environments 1.33.2 counts arguments, defaults included.
#
# Found with: kaggle-environments 1.33.2 (PyPI), environment open_spiel_mancala.
# A good guess: an agent of one argument may keep something in a default, `def agent(observation, memory=[])`, since
# agents are documented as taking one argument or two; or two arguments are passed where two have no default.
# What happens: as many arguments are passed as the code object counts, so `memory` is the configuration, and what the
# agent keeps there is lost with the next call, which gets a fresh one. Nothing is raised: a dictionary takes keys.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check kaggle-environments==1.33.2
cat >see.py <<'PYTHON'
import json

from kaggle_environments import make

seen = []


def first(state: dict) -> int:
    """The first pit that may be sown."""
    player = state["current_player"]
    return next(pit + 1 + 7 * player for pit in range(6) if state["pits"][str(player)][pit])


def agent(observation, memory={}):
    memory["calls"] = memory.get("calls", 0) + 1
    seen.append((memory["calls"], "actTimeout" in memory))
    text = observation.get("observationString")
    return {"submission": first(json.loads(text)) if text else 0}


environment = make("open_spiel_mancala")
environment.run([agent, agent])
print(f"{len(seen)} calls; (calls counted in memory, memory holds the configuration): {seen[:4]}")
assert len(seen) > 2
assert set(seen) == {(1, True)}
PYTHON
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -i "kaggle-env"
echo "guess: memory counts the calls, 1, 2, 3, …"
env/bin/python see.py
echo "seen: memory is a fresh configuration at each call"
