"""What is mutated exists, with its tests."""

import pytest

from tests.mutation.targets import TARGETS
from tests.sources import ROOT


@pytest.mark.parametrize("module", TARGETS)
def test_each_module_and_its_tests_exist(module: str) -> None:
    """A module that was moved would be left out without a word."""
    missing = [path for path in (module, *TARGETS[module]) if not (ROOT / path).is_file()]
    assert missing == []
