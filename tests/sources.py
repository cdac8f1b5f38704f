"""The source tree: what its files say, and copies of it, for what changes a copy and runs it."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PRODUCT: Final = ("mancala", "protocol", "engine", "bot", "server", "scripts")
"""The folders of the product; the first has links to the others."""


def copy_sources(folder: Path, *places: str, without: tuple[str, ...] = ()) -> Path:
    """Copy the product and further places into a folder, links as links.

    What Python compiled of a file is copied, too, and holds until the copy of the file is changed.

    Args:
        folder: the folder to copy into.
        places: files and folders to copy as well, relative to the root.
        without: names of what is left out.

    Returns:
        The folder.
    """
    ignored = shutil.ignore_patterns(*without)
    for place in (*PRODUCT, *places):
        source, copy = ROOT / place, folder / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, symlinks=True, ignore=ignored)
        else:
            shutil.copy2(source, copy)
    return folder


def edited(copy: Path, place: str, old: str, new: str) -> None:
    text = (copy / place).read_text()
    assert text.count(old) == 1, f"{place}: {old}"
    (copy / place).write_text(text.replace(old, new))


def run_in(copy: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    around = {"PYTHONPATH": str(copy)} | environment
    return run_python(*words, cwd=copy, check=False, **around)


def run_python(
    *words: str | Path, cwd: Path | None = None, check: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in this environment with some more variables; return what it printed."""
    command, around = [sys.executable, *words], os.environ | environment
    return subprocess.run(command, cwd=cwd, env=around, capture_output=True, text=True, check=check)


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements below a node; what they are made of is most of a tree, and left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements(child)
