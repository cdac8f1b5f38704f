#!/usr/bin/env bash
# After a game both have more points, or both have fewer: ELO-utils 1.3.1.
#
# Found with: ELO-utils 1.3.1 (PyPI), "a small utility for calculating ELO scores after a match".
# A good guess: `match_result(player, challenger, 1)` is a win of the player: what one gains the other loses.
# What happens: the challenger's new rating is computed from the player's result and the player's expected score. So
# the loser of two equal players gains 16 points like the winner, and a favourite who beats somebody weak gives them
# as much as he takes. Ratings then tell who plays against good opponents, and nothing says so.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check ELO-utils==1.3.1
cat >see.py <<'PYTHON'
from importlib.metadata import version

from ELOutils.ELO import Player, match_result


def after(one: int, other: int, result: float) -> tuple[int, int]:
    """The changes of both ratings by one game of which the first player's score is `result`."""
    player, challenger = Player("player", one), Player("challenger", other)
    match_result(player, challenger, result)
    return player.rating - one, challenger.rating - other


print("ELO-utils", version("ELO-utils"))
for one, other, result, guess in (
    (1500, 1500, 1, (16, -16)),
    (1500, 1500, 0, (-16, 16)),
    (1900, 1500, 0, (-30, 29)),
    (1500, 1900, 1, (29, -30)),
):
    found = after(one, other, result)
    print(f"{one} against {other}, score {result}: guess about {guess}, found {found}")
    assert found[0] == found[1] != 0
PYTHON
env/bin/python see.py
