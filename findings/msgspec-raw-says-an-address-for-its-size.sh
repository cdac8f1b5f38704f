#!/usr/bin/env bash
# sys.getsizeof(msgspec.Raw(b"[]")) is about 140,000,000,000,000: an address, not a size: msgspec 0.22.0.
#
# Found with: msgspec 0.22.0 (PyPI), CPython 3.11, Linux x86-64.
# A good guess: an object of a C type answers `sys.getsizeof` with the bytes that it takes, so a sum over `gc.get_objects`
# and what they refer to is about the memory of a program.
# What happens: `Raw` has a `tp_itemsize` of 1 though it is no variable-sized object. `object.__sizeof__` adds to its 48
# bytes one for each item, and reads their number where `Raw` has a pointer. With one such object a sum of sizes is some
# hundred terabytes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check msgspec==0.22.0
cat >see.py <<'PY'
import sys

import msgspec

print("msgspec", msgspec.__version__, "guess: less than 200")
raw = msgspec.json.decode(b'{"moves":[1,2]}', type=dict[str, msgspec.Raw])["moves"]
print("bytes shown:", len(bytes(raw)), " basic size:", msgspec.Raw.__basicsize__, " item size:", msgspec.Raw.__itemsize__)
size = sys.getsizeof(raw)
print("sys.getsizeof(raw):", size, f"= {size / 1e12:.0f} TB")
assert msgspec.Raw.__itemsize__ == 1
assert size > 1_000_000_000
assert sys.getsizeof(msgspec.Raw(b"[]")) > 1_000_000_000
PY
env/bin/python see.py
