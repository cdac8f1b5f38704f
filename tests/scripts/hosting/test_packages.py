"""Packages that programs ask for in vain."""

import json
from pathlib import Path

import importlib_metadata
import pytest

from mancala.scripts.hosting.handin import HandedFile
from mancala.scripts.hosting.packages import MOST_NAMED, missing_packages


def _lacking(file: str, content: str, packages: str = "", *others: str) -> str:
    files = {file: HandedFile(content.encode(), is_executable=False)}
    files |= {name: HandedFile(b"", is_executable=False) for name in others}
    return missing_packages(files, packages, "")


def _depending(*names: str) -> str:
    return json.dumps({"dependencies": dict.fromkeys(names, "1")})


def test_a_long_list_is_read_in_part_and_named_in_part() -> None:
    """Sixty megabytes of names became one reason, which is kept and shown."""
    lines = "\n".join(f"{number}-{'x' * 999}" for number in range(9999))
    why = _lacking("requirements.txt", lines)
    assert why.count("(requirements.txt)") == MOST_NAMED
    assert len(why) < 1 << 11
    assert _lacking("package.json", _depending(*map(str, range(9)))).count("package.json") == 9
    assert _lacking("package.json", _depending(*map(str, range(99_999)))) == ""


@pytest.mark.parametrize("name", ["../{}", "{}", "x/../../{}", "@a/../{}", "..", "a\n"])
def test_a_name_that_is_a_path_tells_nothing_of_the_host(name: str, tmp_path: Path) -> None:
    """Whether a folder is there made the difference between a reason and none."""
    (tmp_path / "node_modules").mkdir()
    for place in (tmp_path, tmp_path / "absent"):
        asked = _depending(name.format(place))
        assert _lacking("package.json", asked, str(tmp_path)) == ""


def test_a_package_that_is_half_installed_is_missing(tmp_path: Path) -> None:
    """Once its backport is imported, importlib.metadata raises for a package without a name."""
    assert importlib_metadata.__name__
    (tmp_path / "python" / "seed_counter-1.0.dist-info").mkdir(parents=True)
    why = _lacking("requirements.txt", "seed_counter", str(tmp_path))
    assert why.endswith("seed_counter (requirements.txt)")


def test_what_a_program_brings_along_is_not_missing() -> None:
    """With a scope or without; a file is no package."""
    asked = _depending("sower", "@kalah/store", "@kalah/pit", "lone")
    brought = ("sower/index.js", "@kalah/store/lib/index.js", "lone")
    why = _lacking("package.json", asked, "", *(f"node_modules/{name}" for name in brought))
    assert why.endswith(": @kalah/pit (package.json), lone (package.json)")
