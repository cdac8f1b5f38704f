"""Notebooks among the documentation: run, compared with what they show, and rendered as a page.

A notebook is Jupyter's own format, so it opens there; running one here needs no Jupyter. Cells run
in order in one namespace. What they print is their output, and the value of a last expression, as a
picture or a table if it is one. ``python -m docs.notebook FILE`` runs a notebook and stores the
outputs.
"""

from __future__ import annotations

import ast
import io
import json
import os
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

Notebook: TypeAlias = dict[str, Any]
Outputs: TypeAlias = list[dict[str, Any]]
"""What a cell has printed, then what its last expression shows, as the format has it."""
FORMS: Final = {"_repr_svg_": "image/svg+xml", "_repr_html_": "text/html", "__repr__": "text/plain"}
"""The methods by which a value is shown, the first that it has, and what they return."""


def read(path: Path) -> Notebook:
    """Return the notebook in a file."""
    found: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return found


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """Return its cells of code, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(notebook: Notebook) -> list[Outputs]:
    """Return the stored outputs of each code cell, in order."""
    return [cell["outputs"] for cell in code_cells(notebook)]


def printed(notebook: Notebook) -> list[str]:
    """Return what each code cell is said to print, in order."""
    return [
        "".join(text for output in outputs for text in output.get("text", []))
        for outputs in shown(notebook)
    ]


def run(notebook: Notebook) -> list[Outputs]:
    """Return the outputs of each code cell of a run from the start, in an empty folder."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with TemporaryDirectory() as home, chdir(home):
        return [_run("".join(cell["source"]), names) for cell in code_cells(notebook)]


def _run(source: str, names: dict[str, Any]) -> Outputs:
    cell, out, value = ast.parse(source), io.StringIO(), None
    last = cell.body.pop() if cell.body and isinstance(cell.body[-1], ast.Expr) else None
    with redirect_stdout(out):
        exec(compile(cell, "<cell>", "exec"), names)  # noqa: S102  # our own
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307  # our own
    text = out.getvalue().splitlines(keepends=True)
    outputs: Outputs = []
    if text:
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        show, form = next((getattr(value, it), FORMS[it]) for it in FORMS if hasattr(value, it))
        data = {form: show().splitlines(keepends=True)}
        outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
    return outputs


def stored(notebook: Notebook, outputs: list[Outputs]) -> Notebook:
    """Return the notebook with these outputs of its code cells."""
    left = iter(outputs)
    cells = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            cells.append({**cell, "execution_count": number, "outputs": next(left)})
        else:
            cells.append(cell)
    return {**notebook, "cells": cells}


def markdown(notebook: Notebook) -> str:
    """Return the notebook as a page: text as it is, code and outputs as blocks."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [_block(output) for output in cell["outputs"]]
    return "\n\n".join(parts) + "\n"


def _block(output: dict[str, Any]) -> str:
    ((form, lines),) = output.get("data", {"text/plain": output.get("text", [])}).items()
    kind = "text" if form == "text/plain" else "{raw} html"
    return f"```{kind}\n{''.join(lines).rstrip()}\n```"


if __name__ == "__main__":
    for name in map(os.path.abspath, sys.argv[1:]):
        found = read(Path(name))
        text = json.dumps(stored(found, run(found)), indent=1, ensure_ascii=False)
        Path(name).write_text(text + "\n", encoding="utf-8")
