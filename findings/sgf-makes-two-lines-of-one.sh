#!/usr/bin/env bash
# A line that was only wrapped is read as two, and written as two: PyPI's sgf 0.5.
#
# Found with: sgf 0.5, sgfmill 1.1.1 (PyPI, for comparison).
# A good guess: in a text a backslash before a line break takes the break away (SGF FF[4], 3.2), which is how long lines may
# be wrapped; a game that is read and written is the same game.
# What happens: the backslash is taken away and the break stays: "seventy \" and "five" are two lines. `output` writes it
# without the backslash, so the break is a real one for every reader from then on; names and results, which have no
# lines at all, get one in their midst.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q sgf==0.5 sgfmill==1.1.1 2>/dev/null
cat >see.py <<'PY'
import io

import sgf
from sgfmill.sgf import Sgf_game

GAME = "(;FF[4]GM[1]SZ[9]PB[Ann \\\nArbor]C[It took seventy \\\nfive moves.\nThen \\] it ended.])"


def with_sgfmill(text: str) -> tuple[str, str]:
    root = Sgf_game.from_string(text).get_root()
    return root.get("PB"), root.get("C")


root = sgf.parse(GAME)[0].root.properties
written = io.StringIO()
sgf.parse(GAME).output(written)
print("sgfmill:           ", with_sgfmill(GAME))
print("sgf:               ", (root["PB"][0], root["C"][0]))
print("written by sgf,\nread by sgfmill:   ", with_sgfmill(written.getvalue()))
assert with_sgfmill(GAME) == ("Ann Arbor", "It took seventy five moves.\nThen ] it ended.")
assert (root["PB"][0], root["C"][0]) == (
    "Ann \nArbor", "It took seventy \nfive moves.\nThen ] it ended.")
assert with_sgfmill(written.getvalue()) == (
    "Ann  Arbor", "It took seventy \nfive moves.\nThen ] it ended.")
PY
echo "sgf 0.5; guess: three times what sgfmill reads"
env/bin/python see.py
