#!/usr/bin/env bash
# Asked for Ben by name, it answers with Ann: `async_cachettl` of cachettl 1.0.4.
#
# Found with: cachettl 1.0.4 (PyPI, among its 15,000 most downloaded), Python 3.11.
# A good guess: "Arguments to the cached function must be hashable", and each combination of them has an answer of its own,
# as with `cachettl` beside it and `functools.lru_cache`; with `typed=True` 3 and 3.0 have one each.
# What happens: the asynchronous one looks up the positional arguments alone. Calls that differ in a named argument get the
# answer of the first one until it runs out; `typed` is never looked at.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check cachettl==1.0.4
cat >see.py <<'PYTHON'
import asyncio
from importlib.metadata import version

from cachettl import async_cachettl, cachettl


@cachettl(ttl=600)
def rating(*, name: str) -> str:
    return f"rating of {name}"


@async_cachettl(ttl=600, typed=True)
async def asked(*numbers: float, name: str = "") -> str:
    return f"rating of {name}" if name else f"type {type(numbers[0]).__name__}"


async def main() -> None:
    print("cachettl", rating(name="ann"), rating(name="ben"), sep=" - ")
    assert rating(name="ben") == "rating of ben"
    found = [await asked(name="ann"), await asked(name="ben"), await asked(3), await asked(3.0)]
    print("async_cachettl", *found, sep=" - ")
    assert found == ["rating of ann", "rating of ann", "type int", "type int"]


print("cachettl", version("cachettl"), "guess: ann and ben each time, int and float")
asyncio.run(main())
PYTHON
env/bin/python see.py
