#!/usr/bin/env bash
# The hook that is there to encode the package's dates raises TypeError instead: msgspec-extras 0.3.0.
#
# Found with: msgspec-extras 0.3.0, msgspec 0.23.0 (PyPI), Python 3.11.
# A good guess: a `PastDate` that was decoded with `dec_hook` is encoded with `enc_hook`, as in its README; and since it is
# a `date`, it may be copied, pickled and counted on from (`born + timedelta(days=1)`).
# What happens: `enc_hook` asks `issubclass(obj, …)` of the value itself, which is no class: TypeError, for its own types
# and for all others, where msgspec expects NotImplementedError. The class takes one value instead of year, month and day,
# but inherits what makes dates of three numbers or of bytes: sums, copies and pickles raise TypeError, too.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check msgspec-extras==0.3.0 msgspec==0.23.0 2>/dev/null
cat >see.py <<'PY'
import copy
import pickle
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import msgspec
from msgspec_extras import PastDate, dec_hook, enc_hook


class Player(msgspec.Struct):
    born: PastDate


player = msgspec.json.decode(b'{"born":"2001-02-03"}', type=Player, dec_hook=dec_hook)
assert type(player.born) is PastDate and player.born == date(2001, 2, 3)
asked: dict[str, Callable[[], Any]] = {
    "encode": lambda: msgspec.json.encode(player, enc_hook=enc_hook),
    "a day later": lambda: player.born + timedelta(days=1),
    "copy": lambda: copy.deepcopy(player.born),
    "pickle": lambda: pickle.loads(pickle.dumps(player.born)),
}
for name, ask in asked.items():
    try:
        raise AssertionError(f"{name}: {ask()}")
    except TypeError as error:
        print(f"{name}: TypeError: {error}")
        assert name != "encode" or "issubclass" in str(error)
print("a plain date:", msgspec.json.encode({"born": date(2001, 2, 3)}), date(2001, 2, 3) + timedelta(days=1))
PY
echo 'msgspec-extras 0.3.0; guess: {"born":"2001-02-03"}, and dates'
env/bin/python see.py
