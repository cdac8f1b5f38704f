"""The learner of the documentation learns."""

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import numpy as np
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


def test_a_policys_progress_is_kept_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lines of "Measuring a policy" run in turn; each call of `note` adds a row."""
    monkeypatch.chdir(tmp_path)
    _, _, section = PAGE.partition("## Measuring a policy")
    names: dict[str, Any] = {}
    for lines in re.findall(r"```python\n(.*?)```", section.partition("\n## ")[0], re.DOTALL):
        exec(lines, names)  # noqa: S102  # our own document
    names["note"](1000, names["rightmost"])
    head, *rows = Path("progress.csv").read_text().splitlines()
    assert head == "step,random,greedy"
    assert [row.split(",")[0] for row in rows] == ["0", "1000"]
    share = float(rows[0].split(",")[2])
    assert capsys.readouterr().out == f"{share:.0%} of the points against greedy\n"


def test_the_lines_for_parquet_keep_each_dimension(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rows of pits stay two rows. Lists stand for pyarrow's, which CI does without."""

    def lists(values: list[Any], size: int) -> list[Any]:
        return [values[at : at + size] for at in range(0, len(values), size)]

    written: dict[str, list[Any]] = {}
    arrow, parquet = ModuleType("pyarrow"), ModuleType("pyarrow.parquet")
    vars(arrow).update(
        array=np.ndarray.tolist, FixedSizeListArray=SimpleNamespace(from_arrays=lists), table=dict
    )
    vars(parquet).update(write_table=lambda columns, _path: written.update(columns))
    monkeypatch.setitem(sys.modules, "pyarrow", arrow)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", parquet)
    vars(arrow).update(parquet=parquet)
    monkeypatch.chdir(tmp_path)
    Path("positions").mkdir()
    shard = np.zeros(2, dtype=[("pits", np.uint8, (2, 6)), ("low", np.int8, 6), ("nodes", "<u4")])
    shard["pits"] = np.arange(24).reshape(2, 2, 6)
    np.save("positions/shard.npy", shard)
    (lines,) = re.findall(r"```\n(from pathlib import Path\n\nimport numpy.*?)```", PAGE, re.DOTALL)
    exec(lines, {})  # noqa: S102  # our own document
    assert written == {name: shard[name].tolist() for name in ("pits", "low", "nodes")}
