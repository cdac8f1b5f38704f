#!/usr/bin/env bash
# Losses of 1, 2 and 3 are bars of one height as soon as the scale is given: sparklines 1.0.0.
#
# Found with: sparklines 1.0.0 (PyPI, of June 2026, among its 2,000 most downloaded), Python 3.11.
# A good guess: `minimum` and `maximum` are the scale that several lines share, and with negative values, which are "fully
# supported", it is that of the values: -3, -2 and -1 between -4 and 0 are as 3, 2 and 1 between 0 and 4.
# What happens: without a positive value the values are drawn downwards by their absolute value, but the bounds keep their
# sign. None is below a `maximum` of 0 or less then, and all are cut to it: one height, whatever the data. Values of both
# signs are drawn as if no bounds were given.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check sparklines==1.0.0
cat >see.py <<'PYTHON'
from importlib.metadata import version

from sparklines import sparklines


def drawn(values: list[int], **bounds: int) -> list[str]:
    found = sparklines(values, **bounds)
    print(values, bounds, found)
    return found


print("sparklines", version("sparklines"), "guess: three heights; lower bars between -10 and 10")
assert drawn([3, 2, 1], minimum=0, maximum=4) == ["▆▄▃"]
assert drawn([-3, -2, -1], minimum=-4, maximum=0) == ["███"] == drawn([-9, -20, -1], minimum=-40, maximum=0)
assert drawn([-3, -2, -1]) != ["███"]
assert drawn([-1, 2], minimum=-10, maximum=10) == drawn([-1, 2])
PYTHON
env/bin/python see.py
