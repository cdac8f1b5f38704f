"""The dry run of a release: what it makes, and that it makes the same bytes each time."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from datetime import UTC, datetime, time
from hashlib import sha256
from pathlib import Path
from typing import Final

import orjson
import pytest
import yaml

from tests.packaging.environments import UV
from tests.sources import ROOT

PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION: Final = yaml.safe_load((ROOT / "CITATION.cff").read_text())
DAY: Final = f"{datetime.combine(CITATION['date-released'], time.min, UTC).timestamp():.0f}"

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the dry run fills, from this checkout."""
    folder = tmp_path_factory.mktemp("release") / "made"
    script = ["bash", "scripts/release.sh", "--dry-run"]
    subprocess.run(script, cwd=ROOT, env={**os.environ, "OUT": str(folder)}, check=True)
    return folder


def only(folder: Path, pattern: str) -> Path:
    """Return the one file of a name."""
    (found,) = folder.glob(pattern)
    return found


def test_everything_that_is_published_is_made_with_its_sum(made: Path) -> None:
    """The wheel, the source, the documentation and the bill of materials, and notes for people."""
    lines = [line.split() for line in (made / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in lines}
    version = PROJECT["version"]
    kinds = ("-py3-none-any.whl", ".tar.gz", "-docs.tar.gz", ".cdx.json")
    assert sums.keys() == {f"mancala_arena-{version}{kind}" for kind in kinds}
    for name, digest in sums.items():
        assert sha256((made / name).read_bytes()).hexdigest() == digest
    assert (made / "NOTES.md").read_text().strip()


def test_the_wheel_and_the_source_are_the_same_bytes_each_time(made: Path, tmp_path: Path) -> None:
    """Built again, the wheel from the checkout instead of from the source archive."""
    common = ("--quiet", "--no-build-isolation", "--python", sys.executable)
    for kind in ("--wheel", "--sdist"):
        command = (UV, "build", kind, *common, "--out-dir", str(tmp_path), str(ROOT))
        subprocess.run(command, env={**os.environ, "SOURCE_DATE_EPOCH": DAY}, check=True)
    for pattern in ("*.whl", "*.tar.gz"):
        again = only(tmp_path, pattern)
        assert again.read_bytes() == (made / again.name).read_bytes()


def test_the_bill_of_materials_lists_what_users_get(made: Path) -> None:
    """Each package of an extra in its locked version with its hashes; no tool of ours.

    What is installed here says what it needs, and mostly its licence and who makes it.
    """
    bill = orjson.loads(only(made, "*.cdx.json").read_bytes())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "mancala-arena"
    packages = {each["name"]: each for each in bill["components"]}
    assert {"msgspec", "numba", "sqlalchemy", "websockets"} <= packages.keys()
    assert not {"mypy", "pytest", "ruff", "sphinx"} & packages.keys()
    locked = (ROOT / "requirements.lock").read_text()
    assert all(f"{name}=={each['version']}" in locked for name, each in packages.items())
    assert all(each["externalReferences"][0]["hashes"] for each in packages.values())
    assert sum("licenses" in each for each in packages.values()) > 0.9 * len(packages)
    assert sum("supplier" in each for each in packages.values()) > 0.8 * len(packages)
    needs = {each["ref"]: each.get("dependsOn", ()) for each in bill["dependencies"]}
    versions = {name: f"{name}=={each['version']}" for name, each in packages.items()}
    assert versions["numpy"] in needs[versions["numba"]]
