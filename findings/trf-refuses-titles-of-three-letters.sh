#!/usr/bin/env bash
# One woman grandmaster, and nobody's results can be read: trf 1.1.1 knows titles of two letters only.
#
# Found with: trf 1.1.1 (PyPI).
# A good guess: a FIDE tournament report has the title in columns 11 to 13 ("GM", "WGM", "WFM", …), so that each
# title of FIDE can be read and written; at worst one that is not known is left out.
# What happens: column 11 has to be blank. A line with WGM, WIM, WFM or WCM raises TrfException ("not matching
# pattern"), and with it the file is lost. The library writes such a title without a word, one column too wide,
# and does not read its own file again.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check trf==1.1.1
cat >see.py <<'PYTHON'
from importlib.metadata import version

import trf


def report(title: str) -> str:
    """A report of one player, by the columns of FIDE's TRF16: the title right-aligned in 11 to 13."""
    player = (
        f"001 {1:>4} w{title:>3} {'Example, Ada':<33} {2200:>4} FRA {'100':>11} {'2000/01/01':>10} {1.0:>4} {1:>4}"
        f"  {2:>4} w 1"
    )
    assert player[10:13] == f"{title:>3}" and player[14:26] == "Example, Ada" and player[80:84] == " 1.0"
    return f"012 Open\n{player}\n"


def outcome(text: str) -> str:
    try:
        (player,) = trf.loads(text).players
    except trf.TrfException.TrfException as error:
        return f"TrfException: {str(error)[:31]}"
    return f"{player.name}, title {player.title!r}"


print("trf", version("trf"))
found = {title: outcome(report(title)) for title in ("GM", "IM", "WG", "WGM", "WIM", "WFM", "WCM")}
for title, told in found.items():
    print(f"title {title}: {told}")
mine = trf.Tournament(name="Open", players=[trf.Player(startrank=1, name="Example, Ada", title="WGM")])
again = outcome(trf.dumps(mine))
print("written and read again, WGM:", again)
assert [title for title, told in found.items() if told.startswith("Example")] == ["GM", "IM", "WG"]
assert again.startswith("TrfException")
PYTHON
env/bin/python see.py
