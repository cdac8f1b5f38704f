#!/usr/bin/env bash
# The last round of every player is missing: fidetournament 0.3, a reader of FIDE's tournament files.
#
# Found with: fidetournament 0.3 (PyPI).
# A good guess: a line of a player has a block of ten columns for each round (opponent, colour, result, two blanks), and
# a tournament of four rounds has four of them, also where an editor left no blanks at the end of a line.
# What happens: the end of the line is stripped and then cut into whole tens, so the last block, of eight columns, is
# left out; of the dates of the rounds (record 132) the last is. Nothing is said. Points still count that round, so a
# cross table made of it does not add up.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check fidetournament==0.3 six==1.17.0
cat >see.py <<'PYTHON'
from importlib.metadata import version

from fidetournament.tournament import Tournament


def line(number, name, points, place, rounds):
    """Return a player's line; blocks stand in columns 92 to 99, 102 to 109, and so on."""
    blocks = "".join(f"{opponent:4} {colour} {result}  " for opponent, colour, result in rounds)
    return f"001 {number:4} m    {name:33} 2000 GER{'':24}{points:4.1f} {place:4}  {blocks}\n"


rounds = {
    1: [(4, "w", "1"), (3, "b", "1"), (2, "w", "1"), (4, "b", "=")],
    2: [(3, "b", "1"), (4, "w", "1"), (1, "b", "0"), (3, "w", "1")],
    3: [(2, "w", "0"), (1, "w", "0"), (4, "b", "1"), (2, "b", "0")],
    4: [(1, "b", "0"), (2, "b", "0"), (3, "w", "0"), (1, "w", "=")],
}
points = {player: sum({"1": 1.0, "=": 0.5, "0": 0.0}[result] for *_, result in played) for player, played in rounds.items()}
for blanks in (True, False):
    with open("event.trf", "w") as file:
        file.write("012 Example Open\n")
        text = f"132 {'':87}" + "".join(f"26/11/{day:02}  " for day in (7, 14, 21, 28))
        file.write((text if blanks else text.rstrip()) + "\n")
        for place, (player, played) in enumerate(rounds.items(), 1):
            text = line(player, f"Player {player}", points[player], place, played)
            assert text[91:95].strip() == str(played[0][0]) and text[121:125].strip() == str(played[3][0])
            file.write(text if blanks else text.rstrip() + "\n")
    event = Tournament()
    event.parse("event.trf")
    print("fidetournament", version("fidetournament"), "blanks at the ends:", blanks)
    for player in event.players:
        print(player.name, player.points, [(one["id"].strip(), one["result"]) for one in player.opponents])
    found = [len(player.opponents) for player in event.players]
    assert found == [3, 3, 3, 3]
    print("dates:", event.rounddates)
    assert event.rounddates == ["26/11/07", "26/11/14", "26/11/21"]
PYTHON
env/bin/python see.py
