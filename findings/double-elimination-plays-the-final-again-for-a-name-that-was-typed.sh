#!/usr/bin/env bash
# Who wins the final unbeaten has to play it again if the name was read from somewhere: double-elimination 1.4.1.
#
# Found with: double-elimination 1.4.1 (PyPI), whose competitors "can be strings or any type of Python object".
# A good guess: who wins the final without a loss has won the event; the final is repeated only if the other one wins it.
# A winner who comes from a form, a file or a database is the same as the competitor: `add_win` compares by `==`.
# What happens: it does, except in the final, where `is` decides. With the very object that was entered the event is over;
# with an equal string the last match is offered again, between the same two, and `get_winners()` has no winner. Who loses
# that one has lost once, as the other has, and is second.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check double-elimination==1.4.1
cat >see.py <<'PYTHON'
import json
from importlib.metadata import version

from double_elimination import Tournament

NAMES = ["Anna Berg", "Ben Cole", "Cy Dunn", "Di Egan"]


def played(as_read):
    """Play an event in which the first of the list wins each match; return its matches and its winners."""
    event, matches = Tournament(NAMES), []
    while active := event.get_active_matches():
        names = [one.get_competitor() for one in active[0].get_participants()]
        matches.append(names)
        event.add_win(active[0], as_read(min(names)))
        if len(matches) == 6:
            return event.get_winners(), [
                [one.get_competitor() for one in match.get_participants()] for match in event.get_active_matches()
            ]


print("double-elimination", version("double-elimination"))
same, read = played(lambda name: name), played(lambda name: json.loads(json.dumps(name)))
print("Anna has won all. The object that was entered:", same)
print("Anna has won all. The same name, read from JSON:", read)
assert same == (["Anna Berg"], [])
assert read == (None, [["Anna Berg", "Ben Cole"]])
PYTHON
env/bin/python see.py
