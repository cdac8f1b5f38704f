#!/usr/bin/env bash
# A comment that names the score of a match ends the game: pydraughts 0.6.7.
#
# Found with: pydraughts 0.6.7 (PyPI), its reader of PDN, the portable draughts notation.
# A good guess: what stands in braces is a comment and not part of the game (PDN 3.0, as PGN, 5), so "{Ann leads 2-0 in the
# match}" changes nothing; and the reader has a step that takes braces away (`remove_text_between_brackets`).
# What happens: the end of a game is looked for before that: 1-0, 2-0, 1-1 and others between blanks, comments included.
# The game ends in the midst of the comment, with the score of the match as its result; its further moves are counted
# as one more game, of players without names. Nothing is said; a file of one game has two.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q pydraughts==0.6.7 2>/dev/null
cat >see.py <<'PY'
from draughts.PDN import PDNReader

GAME = """[White "Ann"]
[Black "Bo"]
[GameType "20,W,10,10,N2,0"]

1. 32-28 19-23 {COMMENT} 2. 28x19 14x23 3. 37-32 10-14 0-2
"""


def read(comment: str) -> list[tuple[str | None, int, str]]:
    """Gives White's name, the number of moves and the result of each game."""
    games = PDNReader(GAME.replace("COMMENT", comment)).games
    return [(game.tags.get("White"), len(game.moves), game.game_ending) for game in games]


for comment, seen in (
    ("Ann leads two to nil in the match", [("Ann", 6, "0-2")]),
    ("Ann leads 2-0 in the match", [("Ann", 2, "2-0"), (None, 4, "0-2")]),
):
    games = read(comment)
    print(f"{comment}: {games}")
    assert games == seen
PY
echo "pydraughts 0.6.7; guess: one game, of 6 moves and with 0-2, whatever the comment"
env/bin/python see.py
