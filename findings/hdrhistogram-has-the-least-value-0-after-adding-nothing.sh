#!/usr/bin/env bash
# A worker that answered nothing brings the fastest answer of all, 0: hdrhistogram 0.10.8, and hdrpy 0.3.3.
#
# Found with: hdrhistogram 0.10.8 (PyPI, of October 2026), hdrpy 0.3.3, made from it, numpy 2.4.6 (both among PyPI's 10,000
# most downloaded), Python 3.11.
# A good guess: `add` makes one histogram of several (of workers, of seconds); to add one in which nothing was recorded
# changes nothing: its counts are zero.
# What happens: mean and percentiles stay. But an empty one says 0 when asked for its least value, as it
# has none, and `add` takes the lesser of the two: from then on the least value is 0, which nobody measured, whatever is
# recorded later. The percentile 0 is still the true one. Added the other way round, all is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check hdrhistogram==0.10.8 hdrpy==0.3.3 numpy==2.4.6
cat >see.py <<'PYTHON'
from importlib import import_module
from importlib.metadata import version

for package, module in (("hdrhistogram", "hdrh.histogram"), ("hdrpy", "hdrpy")):
    make = import_module(module).HdrHistogram
    first, empty = make(1, 3_600_000, 3), make(1, 3_600_000, 3)
    for milliseconds in (120, 450, 900):
        first.record_value(milliseconds)
    found = [first.get_min_value(), first.get_mean_value()]
    empty_first = make(1, 3_600_000, 3)
    empty_first.add(first)
    assert empty_first.get_min_value() == 120
    first.add(empty)
    found += [first.get_min_value(), first.get_mean_value(), first.get_value_at_percentile(0)]
    print(f"{package} {version(package)}: least {found[0]}, mean {found[1]}; an empty one added: least {found[2]},",
          f"mean {found[3]}, percentile 0: {found[4]}")
    assert found == [120, 490.0, 0, 490.0, 120]
    first.record_value(60)
    assert (first.get_min_value(), first.get_value_at_percentile(0)) == (0, 60)
print("guess: 120 each time")
PYTHON
env/bin/python see.py
