#!/usr/bin/env bash
# A comment that keeps a stream alive arrives as an event without data, but only after an event with an id: httpx-sse.
#
# Found with: httpx-sse 0.4.3 (PyPI), httpx 0.28.1.
# A good guess: a line that begins with a colon is ignored, and a block without data is no event (the HTML standard's
# "Interpretation of an event stream": an empty data buffer is not dispatched), so that `json.loads(event.data)`
# may stand in the loop; servers send such comments every 15 seconds or so.
# What happens: before the first event with an id it is so. From then on each comment yields an event "message" with
# the data "" and the former id, and the loop ends in a JSONDecodeError as soon as the stream is quiet for a while. A
# block that has nothing but `retry:` yields one as well.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check httpx-sse==0.4.3 httpx==0.28.1
cat >see.py <<'PYTHON'
from importlib.metadata import version

import httpx
from httpx_sse import connect_sse

MOVE = 'id: 1\ndata: {"pit": 3}\n\n'


def events(text: str) -> list[tuple[str, str, str]]:
    """What a client yields of a stream with this text."""
    answer = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=text)
    with httpx.Client(transport=httpx.MockTransport(lambda _request: answer)) as client:
        with connect_sse(client, "GET", "http://127.0.0.1/") as source:
            return [(event.event, event.id, event.data) for event in source.iter_sse()]


print("httpx-sse", version("httpx-sse"))
before, after, pace = events(":\n\n" + MOVE), events(MOVE + ":\n\n"), events("retry: 2000\n\n" + MOVE)
print("a comment, then a move:", before)
print("a move, then a comment:", after)
print("a pace for coming back, then a move:", pace)
assert before == [("message", "1", '{"pit": 3}')]
assert after == before + [("message", "1", "")]
assert pace == [("message", "", "")] + before
PYTHON
env/bin/python see.py
