"""Compiled kernels are loaded as cheaply as they can be."""

import os
from pathlib import Path

from tests.sources import ROOT, run_python

LOAD = """
import sys
from mancala.engine.kernels.compile_lock import CompileLock
from mancala.engine.perft import perft
from mancala.protocol.rules import Board

asked = []
held = CompileLock.held
CompileLock.held = lambda lock, name: asked.append(name) or held(lock, name)
print(perft(Board.start(), 1), len(asked) > 0, "numba.np.npyimpl" in sys.modules)
"""
"""Prints the leaves, whether a lock was asked for, and whether numba was made ready to compile."""


def loaded_with(cache: Path) -> str:
    return run_python("-P", "-c", LOAD, NUMBA_CACHE_DIR=str(cache)).stdout.strip()


def test_a_cached_kernel_waits_for_no_lock_and_prepares_no_compiling(tmp_path: Path) -> None:
    """The first process compiles under the lock, the second loads what it left.

    Loading once took the lock as well, so a house bot could wait for a process of low priority, and
    it registered all that compiled code may call, a third of the start of a command.
    """
    assert loaded_with(tmp_path) == "6 True True"
    assert loaded_with(tmp_path) == "6 False False"


MACHINE_CODE = """
from numba.core import codegen

libraries = []
finalize = codegen.JITCodeLibrary._finalize_specific
codegen.JITCodeLibrary._finalize_specific = lambda made: libraries.append(made) or finalize(made)

from mancala.engine.kernels.compiler import called, inlined, kernel

@inlined
def doubled(number):
    return number + number

@called
def tripled(number):
    return number + tripled(number - number) if number else number

@kernel
def fourfold(number):
    return doubled(doubled(number)) + tripled(number)

print(fourfold(3))
for name in "doubled", "tripled", "fourfold":
    print(any(name in library.name for library in libraries))
"""
"""Prints a kernel's result, and whether its helpers and itself became machine code."""


def test_what_only_kernels_call_is_no_machine_code_of_its_own(tmp_path: Path) -> None:
    """Helpers are linked into their kernel, which alone is compiled to the end."""
    assert printed_by(MACHINE_CODE, tmp_path) == ["15", "False", "False", "True"]


ONLY_A_CACHE = """
import resource
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
if ROOM is not None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, most))

from mancala.engine import kernel_cache
from mancala.engine.kernels.compiler import kernel

@kernel
def doubled(number):
    return number + number

print(doubled(6), (kernel_cache.refusal() or "kept").rpartition(": ")[2].replace(" ", "_"))
"""
"""Prints a kernel's result, and why it is not kept, on a disk with room for that many bytes."""


def test_a_cache_that_was_cut_short_or_has_no_room_is_compiled_around(tmp_path: Path) -> None:
    """Both once ended a command with a traceback, though the machine code was there."""
    with_room, without = (ONLY_A_CACHE.replace("ROOM", room) for room in ("None", "1000"))
    assert printed_by(with_room, tmp_path) == ["12", "kept"]
    kept = [path for path in tmp_path.rglob("*.nb?") if "doubled" in path.name]
    assert len(kept) == 2
    for path in kept:
        os.truncate(path, path.stat().st_size // 2)
    assert printed_by(without, tmp_path) == ["12", "File_too_large"]
    assert printed_by(with_room, tmp_path) == ["12", "kept"]


def printed_by(text: str, folder: Path) -> list[str]:
    """Return the words that a program prints, run from a file, as kernels have to be."""
    program = folder / "program.py"
    program.write_text(text)
    outcome = run_python(str(program), NUMBA_CACHE_DIR=str(folder), PYTHONPATH=str(ROOT))
    return outcome.stdout.split()


COLLECTIONS = """
import gc
from numba.core import codegen

seen = []
finalize = codegen.JITCodeLibrary._finalize_specific
note = lambda: seen.append(gc.get_threshold())
codegen.JITCodeLibrary._finalize_specific = lambda made: note() or finalize(made)

from mancala.engine.kernels.compiler import kernel

@kernel
def nothing():
    return 0

usual = gc.get_threshold()
nothing()
print(seen[0][0] > usual[0], gc.get_threshold() == usual)
"""
"""Prints whether collections were rarer while a kernel was compiled, and are as usual then."""


def test_garbage_is_collected_rarely_only_while_a_kernel_is_compiled(tmp_path: Path) -> None:
    """The compiler keeps most of what it makes, so that looking for garbage is time lost."""
    assert printed_by(COLLECTIONS, tmp_path) == ["True", "True"]


OPERATORS = """
from numba.core.typing.context import BaseContext
if IS_NEWER:
    del BaseContext.resolve_setitem

from mancala.engine.kernels.compiler import kernel

@kernel
def fourfold(number):
    return (number + number) + (number + number)

context, asked = fourfold.targetdescr.typing_context, []
resolve = type(context).resolve_function_type
type(context).resolve_function_type = lambda *call: asked.append(call) or resolve(*call)
print(fourfold(3), len(asked), "resolve_function_type" in vars(context))
"""
"""Prints a kernel's result, how often numba looked for a type, and whether it still remembers."""


def test_the_type_of_an_operator_is_looked_for_once_a_compilation(tmp_path: Path) -> None:
    """Each of three additions was matched with ten declarations, a tenth of all compiling."""
    program = OPERATORS.replace("IS_NEWER", "False")
    assert printed_by(program, tmp_path) == ["12", "1", "False"]


def test_a_numba_without_what_kernels_ask_of_it_compiles_in_its_own_way(tmp_path: Path) -> None:
    """It looks for each type again; compiling once failed where a name was another."""
    result, asked, remembers = printed_by(OPERATORS.replace("IS_NEWER", "True"), tmp_path)
    assert (result, int(asked) > 1, remembers) == ("12", True, "False")


EVENTS = """
import threading
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock
from mancala.engine.kernels.compiler import kernel

@kernel
def doubled(number):
    return number + number

class Seen(event.Listener):
    def __init__(self):
        self.threads = []

    def on_start(self, announced):
        self.threads.append(threading.get_ident())

    on_end = on_start

kind = "numba:run_pass"
seen, compile_ = Seen(), doubled.targetctx.codegen().create_library

def beside(*asked):
    other = threading.Thread(target=event.start_event, args=(kind,))
    other.start()
    other.join()
    event.start_event(kind)
    return compile_(*asked)

doubled.targetctx.codegen().create_library = beside
with event.install_listener(kind, seen):
    print(doubled(6))
print(len(seen.threads) > 0, threading.get_ident() in seen.threads)
"""
"""Prints a kernel's result, and whether other threads and its own were heard meanwhile."""


def test_events_of_other_threads_are_announced_while_a_kernel_is_compiled(tmp_path: Path) -> None:
    """A listener once missed the end of what it had heard begin."""
    assert printed_by(EVENTS, tmp_path) == ["12", "True", "False"]
