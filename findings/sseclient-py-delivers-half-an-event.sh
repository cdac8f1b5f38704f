#!/usr/bin/env bash
# An event that was cut off in its midst arrives like a whole one: sseclient-py 1.9.0.
#
# Found with: sseclient-py 1.9.0 (PyPI).
# A good guess: what stands after the last empty line when a connection ends is thrown away (the HTML standard: "if the
# file ends in the middle of an event, before the final empty line, the incomplete event is not dispatched"), so that
# what arrives is what the server wrote.
# What happens: the rest is yielded as an event, with its id. Of lines of text or numbers nothing shows the cut: 125000
# arrives as 125; a reader who asks for what follows that id after reconnecting never gets the whole.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check sseclient-py==1.9.0
cat >see.py <<'PYTHON'
from importlib.metadata import version
from io import BytesIO

from sseclient import SSEClient

WHOLE = b"id: 1\nevent: price\ndata: 99000\n\nid: 2\nevent: price\ndata: 125000\n\n"


def read(stream):
    return [(event.id, event.event, event.data) for event in SSEClient(BytesIO(stream)).events()]


print("sseclient-py", version("sseclient-py"))
assert read(WHOLE) == [("1", "price", "99000"), ("2", "price", "125000")]
for cut, found in ((5, ("2", "price", "125")), (15, None)):
    events = read(WHOLE[:-cut])
    print(f"cut by {cut} bytes: guess", [("1", "price", "99000")], "found", events)
    assert events == [("1", "price", "99000"), *([found] if found else [])]
PYTHON
env/bin/python see.py
