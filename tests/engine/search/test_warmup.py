"""The kernels of a search are compiled ahead of their first use, with progress."""

from __future__ import annotations

import pytest

from mancala.engine.kernels import compiler
from mancala.engine.search import warmup


def test_progress_names_every_kernel_and_ends_complete() -> None:
    """The callback counts up to the number of kernels, and the cache is then complete."""
    calls: list[tuple[int, int, str]] = []
    warmup.compile_ahead(lambda done, total, name: calls.append((done, total, name)))
    assert [done for done, _, _ in calls] == list(range(len(calls)))
    assert {total for _, total, _ in calls} == {len(calls) - 1}
    assert {"estimate", "prove"} <= {name for _, _, name in calls}
    assert warmup.is_compiled()


def test_a_second_process_compiles_the_same_kernels_from_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each kernel is compiled by whichever of both comes to it first."""
    seen: list[object] = []
    monkeypatch.setattr(compiler, "compile_for", lambda function, _: seen.append(function))
    warmup.compile_from_the_end()
    warmup.compile_ahead()
    half = len(seen) // 2
    assert seen[:half] == seen[half:][::-1]
