#!/usr/bin/env bash
# The twenty requests of a day are used up after ten, since ten others were refused: token-throttler 1.5.1.
#
# Found with: token-throttler 1.5.1 (PyPI), `RuntimeStorage`; an hour is let pass by setting the buckets' times back.
# A good guess: with "multiple buckets per throttler per identifier" a request passes if each bucket has a token, and
# takes one from each; one that is refused takes none, or one from each, whatever the order the buckets were added in.
# What happens: the buckets are asked one after another, and each takes its token while it is asked; the first that has none
# ends that, and nothing is given back. So what the hour refuses counts for the day if the bucket of the day was added
# first, and does not if it was added last. In the README's example the shorter one is first.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check token-throttler==1.5.1
cat >see.py <<'PYTHON'
from importlib.metadata import version

from token_throttler import TokenBucket, TokenThrottler
from token_throttler.storage import RuntimeStorage

HOUR, DAY = (3600, 10), (86400, 20)


def day(buckets: tuple[tuple[int, int], ...]) -> tuple[int, int, int]:
    """Of 20 requests: how many were let through, what the day has left, and how many of 10 an hour later."""
    throttler = TokenThrottler(1, RuntimeStorage())
    for seconds, tokens in buckets:
        throttler.add_bucket("bot", TokenBucket(seconds, tokens))
    passed = sum(throttler.consume("bot") for _ in range(20))
    left = throttler.get_bucket("bot", "86400").tokens
    for bucket in throttler.get_all_buckets("bot").values():
        bucket.last_replenished -= 3600
    return passed, left, sum(throttler.consume("bot") for _ in range(10))


print("token-throttler", version("token-throttler"), "guess: the same in either order")
for told, buckets, seen in (("hour, day", (HOUR, DAY), (10, 10, 10)), ("day, hour", (DAY, HOUR), (10, 0, 0))):
    found = day(buckets)
    print(f"{told}: {found[0]} of 20 pass, the day has {found[1]} left, an hour later {found[2]} of 10 pass")
    assert found == seen
PYTHON
env/bin/python see.py
