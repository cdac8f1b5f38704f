#!/usr/bin/env bash
# {70000} without {1} is {70000, 70000}, which is not {70000}: roaringbitmap 0.7.4.
#
# Found with: roaringbitmap 0.7.4, pyroaring 1.2.0 (PyPI, for comparison), Python 3.11.
# A good guess: "a replacement for a normal (mutable) Python set" of 32-bit integers: `a - b` has each element of `a` that
# is not in `b` once, and `clamp(start, stop)` has none outside of the range.
# What happens: if the last block of 65,536 numbers of `b` lies below that of `a`, the last block of `a` is taken over
# twice. Length, order and comparison count it twice, and a number that is removed is still there. `a -= b` is right. And
# `clamp` keeps all of a set's first block above the range: {100000} within 0 to 9 is {100000}.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check roaringbitmap==0.7.4 pyroaring==1.2.0 2>/dev/null
cat >see.py <<'PY'
import random

from pyroaring import BitMap
from roaringbitmap import RoaringBitmap

left = RoaringBitmap([70000]) - RoaringBitmap([1])
print("{70000} - {1}:", list(left), "length", len(left), "equal to {70000}:", left == RoaringBitmap([70000]))
left.discard(70000)
print("after discard(70000):", list(left), "- 70000 in it:", 70000 in left)
assert list(left) == [70000] and 70000 in left
print("{100000}.clamp(0, 10):", list(RoaringBitmap([100000]).clamp(0, 10)))
assert list(RoaringBitmap([100000]).clamp(0, 10)) == [100000]

random.seed(1)
wrong = dict.fromkeys(("roaringbitmap", "in place", "pyroaring"), 0)
for _ in range(300):
    one, other = ({random.randrange(300000) for _ in range(20)} for _ in range(2))
    in_place = RoaringBitmap(one)
    in_place -= RoaringBitmap(other)
    for name, told in (("roaringbitmap", RoaringBitmap(one) - RoaringBitmap(other)), ("in place", in_place),
                       ("pyroaring", BitMap(one) - BitMap(other))):
        wrong[name] += list(told) != sorted(one - other)
print("wrong differences of 300:", wrong)
assert wrong["roaringbitmap"] > 0 == wrong["in place"] == wrong["pyroaring"]
PY
echo "roaringbitmap 0.7.4; guess: [70000] length 1, then [], [] and no wrong difference"
env/bin/python see.py
