#!/usr/bin/env bash
# The last of the table gets bye after bye while others have had none: cardarena-tournament-core 1.5.0.
#
# Found with: cardarena-tournament-core 1.5.0 (PyPI), its `Swiss`.
# A good guess: in a Swiss of seven players each gets the bye once before anyone gets a second one, as all rules of
# chess, go and card games have it; and no game is played twice as long as there is another way.
# What happens: players are paired from the top, each with the first one left that they have not met; who is over has
# the bye, whatever they had before, and the last ones play each other again. Of 200 tournaments of four rounds
# with seven players 107 give somebody two byes; of 200 with six players, 122 repeat a game though there was another way.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check cardarena-tournament-core==1.5.0
cat >see.py <<'PYTHON'
import random
from collections import Counter
from importlib.metadata import version
from itertools import combinations

from cardarena_tournament_core.common.models import MatchupOutcome, Player
from cardarena_tournament_core.pairings.swiss import Swiss

OUTCOMES = (MatchupOutcome.PLAYER1_WINS, MatchupOutcome.PLAYER2_WINS)


def has_another_way(left, met):
    """Whether all who are left can be paired with somebody they have not met."""
    if not left:
        return True
    first, *others = left
    return any(
        frozenset((first, other)) not in met and has_another_way([one for one in others if one != other], met)
        for other in others
    )


def play(players, seed):
    """Four rounds: whether somebody had two byes, and whether a game was repeated that could have been avoided."""
    chance = random.Random(seed)
    names = [str(number) for number in range(players)]
    swiss = Swiss([Player(id=name, name=name) for name in names])
    byes, met, repeated = Counter(), set(), False
    for _ in range(4):
        round_ = swiss.pair()
        could = players % 2 == 0 and has_another_way(names, met)
        for matchup in round_.matchups:
            if matchup.player2 is None:
                byes[matchup.player1.id] += 1
                matchup.outcome = MatchupOutcome.PLAYER1_WINS
                continue
            pair = frozenset((matchup.player1.id, matchup.player2.id))
            repeated |= could and pair in met
            met.add(pair)
            matchup.outcome = chance.choice(OUTCOMES)
        swiss.submit_results(round_)
    return max(byes.values(), default=0) > 1, repeated


print("cardarena-tournament-core", version("cardarena-tournament-core"))
print("guess: 0 and 0")
seven = sum(play(7, seed)[0] for seed in range(200))
print("seven players, four rounds: tournaments of 200 in which one player has two byes:", seven)
six = sum(play(6, seed)[1] for seed in range(200))
print("six players, four rounds: tournaments of 200 with a repeated game that was not needed:", six)
assert (seven, six) == (107, 122)
PYTHON
env/bin/python see.py
