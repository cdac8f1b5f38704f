"""The door to numba: the decorators of compiled functions, and two intrinsics.

`kernel`, `inlined` and `called` are the only places that say ``njit``. All release the GIL and use
numpy's error model (no exception for a division by zero). A kernel is cached on disk, with what it
calls; a cache that cannot be read or written is compiled around. Kernels allocate nothing, so numba
may leave out reference counts (``_nrt=False``), whose atomic additions otherwise cost half the time
of a search and make two threads wait for each other. Nothing is called from C, and what is inlined
or `called` not from Python either, so neither gets the wrappers and the machine code for that: they
were half of the compiler's time. Most of the rest is numba's own Python, so it does no more of that
than kernels need (`PASSES`, `OPERATORS`, `lowering`), and for each function once: a literal that is
passed to a helper would have numba type and lower the helper anew, so flags and steps are passed as
``np.bool_`` and ``np.int64``, which the machine code has as constants all the same.
"""

import gc
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial, wraps
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any, ClassVar, Final, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba._dynfunc import make_function
from numba.core import cgutils, event, postproc, transforms, typed_passes, types, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic
from numpy.typing import NDArray

from .. import kernel_cache
from . import locator, lowering
from .compile_lock import CompileLock

F = TypeVar("F", bound=Callable[..., Any])
Int: TypeAlias = Any
"""An int in plain Python, np.int64 when compiled; no static type is both."""
Flag: TypeAlias = Any
"""Likewise bool and np.bool."""
Numba: TypeAlias = Any
"""What numba hands to an intrinsic; it ships no types for it."""

RARE_COLLECTIONS: Final = (200_000, 50, 1000)
"""Thresholds of Python's garbage collector while a kernel is compiled.

Compiling all kernels has a peak of 236 and 202 MiB in its two processes; with a tenth of these, and
the last ones a hundred and twenty, it has 230 and 195.
"""

OPERATORS: Final = (BuiltinFunctionType, types.Function, types.NumberClass)
"""Of the things that are called, those whose result has a type by that of their arguments alone."""
DAMAGED: Final = (OSError, EOFError, pickle.UnpicklingError)
"""What reading a damaged cache raises."""

PASSES: Final[tuple[type, ...]] = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.DeadBranchPrune,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.AnnotateTypes,
    lowering.KernelLowering,
    typed_passes.NoPythonBackend,
)
"""What numba does with a function, without what kernels have no use for: closures, contexts,
parallel loops, array expressions, ends of lives."""
COMPILING: Final = (typed_passes.NopythonTypeInference, lowering.KernelLowering)
"""Passes within which other functions are compiled, perhaps not kernels."""
REMEMBERED: Final = ("resolve_getattr", "resolve_setitem")
"""What numba finds by the types that it is asked about alone."""

_njit = cast("Callable[..., Any]", numba.njit)
_processor, _transforms = cast("Numba", postproc.PostProcessor), cast("Numba", transforms)
_OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
_FOR_CALLERS = {**_OPTIONS, "no_cpython_wrapper": True}
_JIT = not vars(numba.config)["DISABLE_JIT"]


def kernel(function: F) -> F:
    """Compile a function that Python calls; cached under the stamp of the whole package."""
    locator.register()
    kept = _JIT and (kernel_cache.cache_folder() is not None or not _is_ours(function))
    dispatcher = _njit(**_OPTIONS, cache=kept, pipeline_class=_Pipeline)(function)
    if kept:
        name = f"{function.__module__}.{function.__qualname__}"
        dispatcher.compile = _load_or_compile(name, dispatcher)
        _never_need(vars(dispatcher)["_cache"])
    return cast("F", dispatcher)


def _is_ours(function: Callable[..., Any]) -> bool:
    return Path(function.__code__.co_filename).resolve().parent == kernel_cache.PACKAGE


def _never_need(cached: Numba) -> None:
    """Have numba's cache of a kernel do without what cannot be read, or cannot be written."""
    load, save = cached._load_overload, cached._save_overload  # noqa: SLF001  # numba has no public way

    def load_if_whole(*asked: Numba) -> Numba:
        try:
            return load(*asked)
        except DAMAGED:  # cut short: begin the kernel's index anew
            with suppress(OSError):
                cached.flush()
            return None

    def save_if_room(*kept: Numba) -> None:
        try:
            save(*kept)
        except OSError as error:
            kernel_cache.give_up(error)

    cached._load_overload, cached._save_overload = load_if_whole, save_if_room  # noqa: SLF001


def _load_or_compile(name: str, dispatcher: Numba) -> Callable[..., Any]:
    """Return what loads a kernel, or compiles it while no other process does."""
    compile_ = dispatcher.compile

    @wraps(compile_)
    def load_or_compile(signature: Numba) -> object:
        found = _loaded(dispatcher, signature)
        if found is not None:
            return found
        lock = _lock()
        with nullcontext() if lock is None else lock.held(name):
            found = _loaded(dispatcher, signature)
            if found is not None:
                return found
            typing = dispatcher.targetdescr.typing_context
            with global_compiler_lock, _lean(typing):
                return compile_(signature)

    return load_or_compile


@contextmanager
def _lean(typing: Numba) -> Iterator[None]:
    """Have numba do once during the block what it does again and again, and announce nothing.

    It tries some ten declarations for every ``+``, and compares all flags at each; it announces
    each call of LLVM to the timers of all functions that wait for the one being compiled; and a
    tenth of its time Python looks for garbage.
    """
    if not lowering.IS_KNOWN or "resolve_function_type" in vars(typing):
        yield  # with a newer numba, or for a kernel that another one calls
        return
    resolve = typing.resolve_function_type
    of_operator = cache(lambda function, arguments: resolve(function, arguments, {}))

    def resolve_once(function: Numba, arguments: Numba, named: Numba) -> object:
        if named or not isinstance(function, OPERATORS):
            return resolve(function, arguments, named)
        return of_operator(function, arguments)

    def announce_of_others(announced: Numba) -> None:
        if threading.get_ident() != here:
            broadcast(announced)

    here = threading.get_ident()
    broadcast: Numba = event.broadcast
    event.broadcast = announce_of_others
    often = gc.get_threshold()
    gc.set_threshold(*RARE_COLLECTIONS)
    for name in REMEMBERED:
        setattr(typing, name, cache(getattr(typing, name)))
    typing.resolve_function_type = resolve_once
    try:
        yield
    finally:
        event.broadcast = broadcast
        gc.set_threshold(*often)
        for name in (*REMEMBERED, "resolve_function_type"):
            delattr(typing, name)


def _loaded(dispatcher: Numba, signature: Numba) -> Numba:
    """Return a kernel's machine code from the cache; None where it has to be compiled.

    What numba does itself prepares the process to compile first: it imports and registers all that
    compiled code may call, a third of the start of a command. Compiling does that as well.
    """
    with global_compiler_lock:
        known = dispatcher.overloads.get(signature)
        if known is not None:
            return known.entry_point
        context, cached = dispatcher.targetctx, vars(dispatcher)["_cache"]
        code = cached._load_overload(signature, context)  # noqa: SLF001  # numba has no public way
        if code is None:
            return None
        context.insert_user_function(code.entry_point, code.fndesc, [code.library])
        dispatcher.add_overload(code)
        return code.entry_point


@cache
def _lock() -> CompileLock | None:
    folder = kernel_cache.cache_folder()
    return None if folder is None else CompileLock(folder / "compiling.lock")


def inlined(function: F) -> F:
    """Compile a function into each kernel that calls it; Python must not call it."""
    made = _njit(**_FOR_CALLERS, pipeline_class=_ForCallers, forceinline=True)
    return cast("F", made(function))


def called(function: F) -> F:
    """Compile a function once for all kernels that call it; Python must not call it."""
    return cast("F", _njit(**_FOR_CALLERS, pipeline_class=_Called)(function))


class _Pipeline(CompilerBase):
    """The compiler of a kernel."""

    def define_pipelines(self) -> list[Numba]:
        """Return what runs the passes; numba calls this."""
        lowering.for_kernels(self.state.targetctx)
        return [_Passes()]


class _Passes:
    """Runs the passes, without numba's events, timers and checks of each."""

    pipeline_name: Final = "kernel"
    exec_times: Final[dict[str, object]] = {}

    def run(self, state: Numba) -> None:
        for step in PASSES:
            one = step()
            one.analysis = {step: set()}
            with nullcontext() if step in COMPILING else _without_lives():
                one.run_pass(state)


@contextmanager
def _without_lives() -> Iterator[None]:
    """Have numba not look, after each pass, where a variable lives: for references, generators."""
    if not lowering.IS_KNOWN:
        yield
        return
    usual, _processor.run = _processor.run, _order_blocks
    try:
        yield
    finally:
        _processor.run = usual


def _order_blocks(processor: Numba, *_: bool, **__: bool) -> None:
    code = processor.func_ir
    code.blocks = _transforms.canonicalize_cfg(code.blocks)
    code.generator_info = None


def _linked(library: Numba, description: Numba, environment: Numba) -> Numba:
    """Link a function with what it calls, and return what numba asks for: a function of no use."""
    steps = library.__dict__
    steps["_finalize_final_module"] = partial(steps.update, _finalized=True)
    library.finalize()
    name, module = description.qualname, description.lookup_module()
    return make_function(module, name, "", 0, environment, (library,))


def _linked_only(library: Numba, *described: Numba) -> Numba:
    library.__dict__["_optimize_final_module"] = lambda: None
    return _linked(library, *described)


class _ForCallers(_Pipeline):
    """The compiler of a function that is needed in its callers only.

    Such a function stays as it was lowered. It is optimised where it is used, and becomes machine
    code there; each would otherwise be optimised once more for every level of callers above it,
    and be made machine code that nothing calls: a third of all compiling.
    """

    made: ClassVar = staticmethod(_linked_only)

    def define_pipelines(self) -> list[Numba]:
        """Return the passes; numba calls this."""
        self.state.targetctx.get_executable = self.made
        return super().define_pipelines()


class _Called(_ForCallers):
    made: ClassVar = staticmethod(_linked)


def compile_for(function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    """Compile a kernel for arguments of these types, or load it from the cache; do not call it."""
    if _JIT:
        cast("Numba", function).compile(tuple(map(numba.typeof, arguments)))


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
prefetch = _lowered if _JIT else _prefetch


def _clock_lowered(_typing: Numba, clock: Numba) -> Numba:
    """Lower :func:`time.clock_gettime_ns` to a call of POSIX ``clock_gettime``."""

    def build(_context: Numba, builder: Numba, _signature: Numba, values: Numba) -> Numba:
        number, seconds = ir.IntType(32), ir.IntType(64)
        allocate: Numba = cgutils.alloca_once
        place = allocate(builder, seconds, size=2)
        kind = ir.FunctionType(number, [number, seconds.as_pointer()])
        declare: Numba = cgutils.get_or_insert_function
        which = builder.trunc(values[0], number)
        builder.call(declare(builder.module, kind, "clock_gettime"), [which, place])
        whole = builder.load(place)
        rest = builder.load(builder.gep(place, [number(1)]))
        return builder.add(builder.mul(whole, seconds(10**9)), rest)

    return types.int64(clock), build


_clock = cast("Callable[[int], int]", intrinsic(_clock_lowered))
clock_ns = _clock if _JIT else time.clock_gettime_ns
"""Return nanoseconds on a clock of POSIX, by its number; compiled, about 30 ns."""
