#!/usr/bin/env bash
# A picture that is asked for with a width and a height has another width: resvg-py 0.5.0.
#
# Found with: resvg-py 0.5.0 (PyPI), whose `svg_to_bytes` takes `width`, "Target render width in pixels", and `height`.
# A good guess: a picture of 600 by 315 pixels comes out, with the drawing scaled to fit and centred in it, as a
# browser shows an <svg width="600" height="315"> (preserveAspectRatio, xMidYMid meet).
# What happens: the two are a box that the picture must fit into. Of a square drawing the picture is 315 by 315;
# nothing says so. With both as attributes of the drawing, and no arguments, the picture is as guessed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check resvg-py==0.5.0
cat >see.py <<'PYTHON'
import struct

from resvg_py import svg_to_bytes

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"{}><circle cx="50" cy="50" r="50"/></svg>'


def size(png: bytes) -> str:
    return "{} by {}".format(*struct.unpack(">2I", png[16:24]))


print("asked for by arguments: ", size(svg_to_bytes(SVG.format(""), width=600, height=315)))
print("asked for by attributes:", size(svg_to_bytes(SVG.format(' width="600" height="315"'))))
PYTHON
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -E "^resvg" | tr -s ' '
echo "guess: 600 by 315, both times"
env/bin/python see.py | tee seen
grep -qx "asked for by arguments:  315 by 315" seen
grep -qx "asked for by attributes: 600 by 315" seen
