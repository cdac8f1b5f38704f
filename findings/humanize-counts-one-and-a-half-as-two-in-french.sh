#!/usr/bin/env bash
# "1,5 millions" in French, where a plural begins with two: humanize 4.17.0.
#
# Found with: humanize 4.17.0 (PyPI), `intword` after `i18n.activate("fr_FR")`. Its catalogue has the plural rule of
# French, `nplurals=2; plural=n > 1`.
# A good guess: "1,5 million". A number below two takes the singular (Unicode CLDR, French: one is i = 0,1, where i is
# the part before the decimal sign), as Babel writes it from the same data.
# What happens: the word is chosen by the number rounded up, here by 2, as English or German want it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check humanize==4.17.0 babel==2.19.0
cat >see.py <<'PYTHON'
import humanize
from babel.numbers import format_compact_decimal

humanize.i18n.activate("fr_FR")
for value in (1_000_000, 1_500_000, 2_000_000):
    babel = format_compact_decimal(value, locale="fr_FR", format_type="long", fraction_digits=1)
    told = (value, humanize.intword(value), babel.replace("\xa0", " "))
    print("{}: humanize “{}”, Babel “{}”".format(*told))
PYTHON
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -iE "^(humanize|babel)" | tr -s ' '
echo "guess: 1500000 is “1,5 million”"
env/bin/python see.py | tee seen
grep -qx "1500000: humanize “1,5 millions”, Babel “1,5 million”" seen
grep -qx "1000000: humanize “1,0 million”, Babel “1 million”" seen
