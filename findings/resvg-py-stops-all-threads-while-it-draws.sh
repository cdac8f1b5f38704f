#!/usr/bin/env bash
# A drawing on a thread of its own stops all other threads of the process until it is done: resvg-py 0.5.0.
#
# Found with: resvg-py 0.5.0 (PyPI), a renderer in Rust, on CPython 3.11.
# A good guess: native code that needs no Python objects lets other threads run meanwhile, as compressing by zlib
# does; so a server may draw in `asyncio.to_thread` and go on answering.
# What happens: no other thread runs a line until the picture is done. A thread that wakes up each millisecond does
# so hundreds of times while zlib works, and hardly ever while a picture is drawn that takes as long. A low priority
# of the drawing thread makes it worse: on a busy machine all others wait for it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check resvg-py==0.5.0
cat >see.py <<'PYTHON'
import random
import threading
import time
import zlib

from resvg_py import svg_to_bytes

CIRCLES = "".join(
    f'<circle cx="{37 * n % 1200}" cy="{91 * n % 600}" r="60" fill="green" opacity="0.5"/>' for n in range(400)
)
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="600">{CIRCLES}</svg>'
BYTES = random.Random(1).randbytes(40_000_000)

woken = 0
is_over = False


def wake() -> None:
    global woken
    while not is_over:
        time.sleep(0.001)
        woken += 1


def during(work) -> tuple[int, float]:
    before, began = woken, time.perf_counter()
    work()
    return woken - before, time.perf_counter() - began


thread = threading.Thread(target=wake)
thread.start()
time.sleep(0.05)
try:
    for name, work in ("zlib", lambda: zlib.compress(BYTES)), ("resvg", lambda: svg_to_bytes(svg_string=SVG)):
        times, seconds = during(work)
        print(f"{name}: the other thread woke up {'hardly ever' if times < 10 else 'often'}", flush=True)
        if seconds < 0.2:
            print("too short to tell")
finally:
    is_over = True
    thread.join()
PYTHON
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -E "^resvg" | tr -s ' '
echo "guess: often, both times"
env/bin/python see.py | tee seen
grep -qx "zlib: the other thread woke up often" seen
grep -qx "resvg: the other thread woke up hardly ever" seen
! grep -q "too short" seen
