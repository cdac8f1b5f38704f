#!/usr/bin/env bash
# What is read holds a comma that nobody wrote: PyPI's ndjson 0.3.1.
#
# Found with: ndjson 0.3.1 (PyPI), Python 3.11; the line is written by Node 20's JSON.stringify.
# A good guess: a value in a line of JSON is read as it was written. U+2028 and U+2029, which end a line or a paragraph in
# texts pasted from word processors, and U+0085 may stand in a JSON string as they are (RFC 8259, 7), and JSON.stringify
# writes them so; NDJSON ends its lines by "\n" alone. At worst the line is refused.
# What happens: the text is cut by `splitlines`, which cuts at those too, and its pieces are joined by commas, to make
# one list of it. So within a string each of them is replaced by a comma, and no error tells: "A<U+2028>B" arrives as "A,B",
# and what is written again says so for good. `ndjson.reader` over a file reads the same line rightly.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q ndjson==0.3.1 2>/dev/null
node -e 'console.log(JSON.stringify({ name: "Ann\u2028Arbor", moves: 2 }));
         console.log(JSON.stringify({ name: "Bo\u0085Bay", moves: 3 }));' >games.ndjson
cat >see.py <<'PY'
import json
from pathlib import Path

import ndjson

text = Path("games.ndjson").read_text(encoding="utf-8")
written = [json.loads(line) for line in text.split("\n") if line]
with open("games.ndjson", encoding="utf-8") as lines:
    by_reader = list(ndjson.reader(lines))
loaded = ndjson.loads(text)
print("json:         ", written)
print("ndjson.reader:", by_reader)
print("ndjson.loads: ", loaded)
assert written == by_reader
assert [game["name"] for game in loaded] == ["Ann,Arbor", "Bo,Bay"]
assert ndjson.loads(ndjson.dumps(loaded)) == loaded != written
PY
env/bin/python see.py
