"""Notebooks among the documentation: run, compared with what they show, and rendered as a page.

A notebook is Jupyter's own format, so it opens there; running one here needs no Jupyter. Cells run
in order in one namespace, and what they print is their output. ``python -m docs.notebook FILE``
runs a notebook and stores the outputs.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TypeAlias

Notebook: TypeAlias = dict[str, Any]


def read(path: Path) -> Notebook:
    """Return the notebook in a file."""
    found: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return found


def printed(notebook: Notebook) -> list[str]:
    """Return what each code cell is said to print, in order."""
    return [
        "".join(text for output in cell["outputs"] for text in output.get("text", []))
        for cell in _code(notebook)
    ]


def run(notebook: Notebook) -> list[str]:
    """Return what each code cell prints when the notebook is run from its start."""
    names: dict[str, Any] = {"__name__": "__main__"}
    outputs = []
    for cell in _code(notebook):
        out = io.StringIO()
        with redirect_stdout(out):
            exec(compile("".join(cell["source"]), "<cell>", "exec"), names)  # noqa: S102  # our own
        outputs.append(out.getvalue())
    return outputs


def stored(notebook: Notebook, outputs: list[str]) -> Notebook:
    """Return the notebook with these outputs of its code cells."""
    left = iter(outputs)
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            text = next(left).splitlines(keepends=True)
            output = {"name": "stdout", "output_type": "stream", "text": text}
            changes = {"execution_count": number, "outputs": [output] if text else []}
            cells.append({**cell, **changes})
        else:
            cells.append(cell)
    return {**notebook, "cells": cells}


def markdown(notebook: Notebook) -> str:
    """Return the notebook as a page: text as it is, code and outputs as blocks."""
    outputs = iter(printed(notebook))
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        if output := next(outputs):
            parts.append(f"```text\n{output.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def _code(notebook: Notebook) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        shown = read(Path(name))
        text = json.dumps(stored(shown, run(shown)), indent=1, ensure_ascii=False)
        Path(name).write_text(text + "\n", encoding="utf-8")
