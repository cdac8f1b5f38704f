#!/usr/bin/env bash
# Asking for a chance changes a rating: elopy 0.1.4, `win_probs(…, is_home=False)`.
#
# Found with: elopy 0.1.4 (PyPI), after FiveThirtyEight's ratings with an advantage of the home team.
# A good guess: `team.win_probs(opponent, is_home=False)` computes a number, so it may be asked as often as one likes,
# and gives the same each time; `play_game` moves as many points from one team to the other.
# What happens: for a guest the home team's advantage (100) is added to the opponent's stored rating, and stays there.
# The same question, asked four times, gives 0.64, 0.50, 0.36 and 0.24; `play_game` asks it too, so each game away
# makes 100 points out of nothing. At home all is as guessed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check elopy==0.1.4
cat >see.py <<'PYTHON'
from importlib.metadata import version

from elopy.elo import Elo

print("elopy", version("elopy"))
print("guess: one question has one answer, and a game only moves points")

guest, host = Elo(1600), Elo(1400)
chances = [round(guest.win_probs(host, is_home=False), 2) for _ in range(4)]
print("the guest's chance, asked four times:", chances, "- the host's rating, 1400 before:", host.elo)
assert chances == [0.64, 0.5, 0.36, 0.24]
assert (guest.elo, host.elo) == (1600, 1800)

first, second = Elo(1600), Elo(1400)
home = [round(first.win_probs(second), 2) for _ in range(4)]
print("a home team's chance, asked four times:", home, "- ratings:", first.elo, second.elo)
assert len(set(home)) == 1 and (first.elo, second.elo) == (1600, 1400)

for is_home, made in ((True, 0), (False, 100)):
    one, other = Elo(1600), Elo(1400)
    one.play_game(other, 15, is_home=is_home)
    print(f"a game with is_home={is_home}: points of both before 3000, after", round(one.elo + other.elo, 6))
    assert round(one.elo + other.elo - 3000, 6) == made
PYTHON
env/bin/python see.py
