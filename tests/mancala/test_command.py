"""The command ``mancala-arena`` where another project's package has our name."""

import shutil
from pathlib import Path

import pytest

import mancala_arena
from tests.sources import run_python


@pytest.mark.parametrize("source", ["import gym", "", None])
def test_it_says_whose_files_are_in_the_way(source: str | None, tmp_path: Path) -> None:
    """PyPI's package fails itself, loads without our names, or was uninstalled with our file."""
    shutil.copy(mancala_arena.__file__, tmp_path)
    theirs = tmp_path / "mancala" / "__init__.py"
    theirs.parent.mkdir()
    if source is not None:
        theirs.write_text(source)
    done = run_python(
        "-S", "-m", "mancala_arena", cwd=tmp_path, check=False, PYTHONPATH=str(tmp_path)
    )
    found = "mancala/__init__.py is gone" if source is None else f"{theirs} is another program's"
    assert done.returncode == 1
    assert done.stderr.startswith(f"mancala-arena: {found}; PyPI's package mancala shares")
    assert done.stderr.rstrip().endswith(mancala_arena.MEND)
