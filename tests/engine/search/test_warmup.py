"""The kernels of a search are compiled ahead of their first use, with progress."""

import pytest

from mancala.engine import kernel_cache, kernels
from mancala.engine.kernels import compiler
from mancala.engine.search import warmup


def test_progress_names_every_kernel_and_ends_complete() -> None:
    """The callback counts up to the number of kernels, and the cache is then complete."""
    calls: list[tuple[int, int, str]] = []
    warmup.compile_ahead(lambda done, total, name: calls.append((done, total, name)))
    assert [done for done, _, _ in calls] == list(range(len(calls)))
    assert {total for _, total, _ in calls} == {len(calls) - 1}
    assert {"search_root", "prove"} <= {name for _, _, name in calls}
    assert kernel_cache.is_compiled()


def test_a_second_process_compiles_none_of_the_kernels_that_share_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It begins with the last of the list, so that both meet in the middle.

    Compiling a second kernel of the search took it longer than the first process, which waited.
    """
    seen: list[object] = []
    monkeypatch.setattr(compiler, "compile_for", lambda function, _: seen.append(function))
    warmup.compile_others()
    others = len(seen)
    warmup.compile_ahead()
    assert seen[:others] == seen[: -others - 1 : -1]
    assert {kernels.search_root, kernels.prove} <= set(seen[others:-others])
