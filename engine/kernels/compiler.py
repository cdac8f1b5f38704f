"""The door to numba: the decorators of compiled functions, and one intrinsic.

`kernel` and `inlined` are the only places that say ``njit``. Both cache on disk, release the GIL
and use numpy's error model (no exception for a division by zero). Kernels allocate nothing, so
numba may leave out reference counts (``_nrt=False``), whose atomic additions otherwise cost half
the time of a search and make two threads wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from engine.kernels import locator

F = TypeVar("F", bound=Callable[..., Any])
Int: TypeAlias = Any
"""An int in plain Python, np.int64 when compiled; no static type is both."""
Flag: TypeAlias = Any
"""Likewise bool and np.bool."""
Numba: TypeAlias = Any
"""What numba hands to an intrinsic; it ships no types for it."""

_njit = cast("Callable[..., Any]", numba.njit)
_OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: F) -> F:
    """Compile a function that Python calls; cached under the stamp of the whole package."""
    locator.register()
    return cast("F", _njit(**_OPTIONS)(function))


def inlined(function: F) -> F:
    """Compile a function into each kernel that calls it."""
    locator.register()
    return cast("F", _njit(**_OPTIONS, forceinline=True)(function))


def _prefetch(array: NDArray[Any], index: np.uint64) -> None:
    """Request the cache line of ``array[index]``; without compilation, do nothing."""


def _prefetch_lowered(_typing: Numba, array: Numba, index: Numba) -> Numba:
    """Lower :func:`_prefetch` to LLVM's prefetch for reading, to be kept in all cache levels."""

    def build(context: Numba, builder: Numba, signature: Numba, values: Numba) -> Numba:
        data = context.make_array(signature.args[0])(context, builder, values[0]).data
        byte = ir.IntType(8).as_pointer()
        place = builder.bitcast(builder.gep(data, [values[1]]), byte)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        declare: Numba = cgutils.get_or_insert_function
        instruction = declare(builder.module, kind, "llvm.prefetch.p0")
        builder.call(instruction, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, index), build


_lowered = cast("Callable[[NDArray[Any], np.uint64], None]", intrinsic(_prefetch_lowered))
prefetch = _prefetch if vars(numba.config)["DISABLE_JIT"] else _lowered
