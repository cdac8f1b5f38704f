#!/usr/bin/env bash
# From 1 to true nothing has changed: the patches of json-merge-patch 0.3.0 and pyjsonpatch 0.1.3.
#
# Found with: json-merge-patch 0.3.0 (PyPI, among its 2,000 most downloaded), pyjsonpatch 0.1.3, jsonpatch 1.33 for
# comparison, Python 3.11.
# A good guess: a patch that was made of two documents turns the first one into the second. In JSON 1 and true are values of
# different types (RFC 7396 replaces the value; RFC 6902, 4.6, says when two values are equal).
# What happens: values are compared by Python's `==`, for which 1 is True and 0 is False. A member that changes from 1 to
# true, or from false to 0, is not in the patch; who applies it keeps the old one. And pyjsonpatch's `test` for true
# passes where 1 stands.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check json-merge-patch==0.3.0 pyjsonpatch==0.1.3 jsonpatch==1.33
cat >see.py <<'PYTHON'
from importlib.metadata import version

import json_merge_patch
import jsonpatch
import pyjsonpatch

before, after = {"rated": 1, "drawn": False, "ply": 2}, {"rated": True, "drawn": 0, "ply": 3}
print("json-merge-patch", version("json-merge-patch"), "pyjsonpatch", version("pyjsonpatch"), "guess: three changes each")
merge, patch = json_merge_patch.create_patch(before, after), pyjsonpatch.generate_patch(before, after)
print(before, "to", after, merge, patch, sep="\n")
print("jsonpatch:", jsonpatch.make_patch(before, after))
assert merge == {"ply": 3} and [change["path"] for change in patch] == ["/ply"]
assert len(list(jsonpatch.make_patch(before, after))) == 3
assert pyjsonpatch.apply_patch({"rated": 1}, [{"op": "test", "path": "/rated", "value": True}]).obj == {"rated": 1}
PYTHON
env/bin/python see.py
