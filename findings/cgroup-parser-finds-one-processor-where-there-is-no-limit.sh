#!/usr/bin/env bash
# Without a limit there is one processor: cgroup-parser 0.0.2.
#
# Found with: cgroup-parser 0.0.2 (PyPI), `get_max_procs()`, for how many workers to start within a container.
# A good guess: with a quota of two processors it is 2; without one (`cpu.cfs_quota_us` is -1), and where the group has no
# such file, as under version 2 of cgroups, it is the number of processors: its source says "degraded with cpu_count".
# What happens: whether there is a quota is found out and then dropped (`read_cgroup_message` returns `data, True`), so the
# -1 that stands for "none" is taken for a quota, and raised to the least that is allowed, 1. A host of 64 processors has
# one, and nothing says so. Only with a quota under version 1 is the answer right.
# The script gives it files and 64 processors of its own (`new_cgroups`, `cpu_count`).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q cgroup-parser==0.0.2 2>/dev/null
mkdir cpu
echo 100000 >cpu/cpu.cfs_period_us
echo "30 20 0:26 / $folder/cpu rw - cgroup cgroup rw,cpu" >mountinfo-1
echo "3:cpu:/" >cgroup-1
echo "30 20 0:26 / $folder/cpu rw - cgroup2 cgroup2 rw" >mountinfo-2
echo "0::/" >cgroup-2
cat >see.py <<'PY'
from pathlib import Path

import cgroup_parser
from cgroup_parser.cgroups.cgroups import new_cgroups
from cgroup_parser.runtime import runtime

cgroup_parser.utils.cpu_count = lambda: 64


def processors(version: int, quota: int) -> int:
    Path("cpu/cpu.cfs_quota_us").write_text(f"{quota}\n")
    runtime.GLOBAL_CGROUP = new_cgroups(f"mountinfo-{version}", f"cgroup-{version}")
    return cgroup_parser.get_max_procs()


for told, version, quota, seen in (
    ("version 1, a quota of 2 processors", 1, 200000, 2),
    ("version 1, no quota", 1, -1, 1),
    ("version 2", 2, -1, 1),
):
    found = processors(version, quota)
    print(f"{told}: {found} of 64")
    assert found == seen
PY
echo "cgroup-parser 0.0.2; guess: 2, 64 and 64 of 64"
env/bin/python see.py
