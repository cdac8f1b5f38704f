"""What kernels are lowered to does what numba's own code does, and is less of it."""

from pathlib import Path

from tests.sources import ROOT, run_python

PROGRAM = """
import os
import re
from typing import NamedTuple
import numba
import numpy as np
from mancala.engine.kernels.compiler import inlined, kernel

class Both(NamedTuple):
    words: np.ndarray
    shorts: np.ndarray

@inlined
def at(both, index):
    return both.shorts[index]

@kernel
def items(both, index):
    both.words[index] = np.uint64(1 << 40) >> both.words[0]
    both.shorts[np.uint64(0)] = max(np.int64(index), np.int64(-5)) >> 1
    last = both.words[-1] if at(both, index) < both.shorts[0] else np.uint64(0)
    return last, min(both.shorts[0], both.shorts[1])

both = Both(np.arange(3, dtype=np.uint64), np.array([1, -9, 7], dtype=np.int16))
print(*items(both, -2), *both.words, *both.shorts, sep=",")
if os.environ["NUMBA_BOUNDSCHECK"] == "1":
    try:
        items(both, 3)
    except IndexError:
        print("IndexError")
else:
    text = items.inspect_llvm(items.signatures[0])
    print(len(re.findall("%arg", re.search("define[^@]*@[^(]*items.*", text)[0])))

    @inlined
    def positive(number):
        if number < 0:
            raise ValueError("negative")
        return number

    @kernel
    def doubled(number):
        return 2 * positive(number)

    try:
        doubled(1)
    except numba.errors.UnsupportedError as error:
        print(*re.findall("cannot.(raise)", str(error)))

    @kernel
    def first(array):
        return array[0]

    first.compile((numba.types.Array(numba.uint64, 1, "C", aligned=False),))
    print(re.search("load i64, .*align ([0-9]+)", first.inspect_llvm(first.signatures[0]))[1])
"""
"""Prints what a kernel does with items of arrays, then its arguments or that bounds are checked.

Without bounds checked also that a helper which raises is refused, and how an item is aligned of
which nothing is known.
"""


def printed(folder: Path, checked: str) -> list[str]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    cache, root = str(folder / checked), str(ROOT)
    done = run_python(program, NUMBA_BOUNDSCHECK=checked, NUMBA_CACHE_DIR=cache, PYTHONPATH=root)
    return done.stdout.split()


def test_items_of_arrays_are_as_with_numba_and_tuples_are_passed_whole(tmp_path: Path) -> None:
    """Two arrays in a tuple are one argument of a kernel; it may raise where bounds are checked."""
    assert printed(tmp_path, "1") == ["2,-9,0,1099511627776,2,-1,-9,7", "IndexError"]
    assert printed(tmp_path, "0") == ["2,-9,0,1099511627776,2,-1,-9,7", "2", "raise", "1"]
