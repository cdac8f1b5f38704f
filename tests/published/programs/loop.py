"""Games from stdin to what a program shows of them, a line each, with no import of ours.

    python -I loop.py PROGRAM.py FOLDER

It runs in the environment of the program, whose packages may be called as ours are.
"""

import json
import runpy
import sys
from contextlib import redirect_stdout

if __name__ == "__main__":
    file, folder = sys.argv[1:]
    with redirect_stdout(sys.stderr):
        replay = runpy.run_path(file)["replay"]
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):
            shown = replay(json.loads(line), folder)
        sys.stdout.write(f"{json.dumps(shown)}\n")
        sys.stdout.flush()
