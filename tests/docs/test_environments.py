"""The learner of the documentation learns."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from tests.sources import ROOT

PAGE: Final = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
MARGIN: Final = 0.9


@pytest.mark.filterwarnings("ignore::UserWarning")  # gymnasium's advice
def test_the_learner_beats_random_by_the_margin_that_the_page_states() -> None:
    """The code runs as it is printed, and takes the points that were stated beforehand."""
    assert "at least 90 % of the points" in PAGE
    (example,) = re.findall(r"```python\n(import gymnasium\nimport numpy.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102  # our own document
    assert names["points"] >= MARGIN
