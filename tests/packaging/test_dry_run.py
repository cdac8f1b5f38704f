"""The dry run of a release: what it makes, and that it makes the same bytes each time.

The documentation among it is the only one that the tests render, without a warning.
"""

import os
import re
import subprocess
import sys
import tarfile
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
def pages(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with tarfile.open(only(made, "*-docs.tar.gz")) as archive:
        archive.extractall(folder, filter="data")
    return folder / ".".join(PROJECT["version"].split(".")[:2])


def only(folder: Path, pattern: str) -> Path:
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
    pack = ("bash", str(ROOT / "scripts" / "pack.sh"), str(only(tmp_path, "*.whl")))
    subprocess.run(pack, check=True)
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


def test_the_pages_show_what_the_documents_say(pages: Path) -> None:
    """The readme is a page with its title, and links to its twin and to the other versions."""
    tour = (pages / "tour.html").read_text()
    assert "A bot in fifteen lines" in tour
    assert 'type="text/markdown" href="tour.md"' in tour
    assert 'href="./../index.html">Other versions' in tour


def test_each_page_has_a_twin_in_markdown(pages: Path) -> None:
    """With the references that are written from the code, and pictures that are there."""
    generated = {"genindex", "py-modindex", "search"}
    names = {path.stem for path in pages.glob("*.html")} - generated
    assert {path.stem for path in pages.glob("*.md")} == names
    assert "## `mancala analyze`" in (pages / "commands.md").read_text()
    assert "legal()" in (pages / "library.md").read_text()
    twins = [(pages / name).read_text() for name in ("classroom.md", "tour.md")]
    pictures = [path for twin in twins for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", twin)]
    assert len(pictures) > 3
    assert all((pages / picture).exists() for picture in pictures)


def test_language_models_find_every_page(pages: Path) -> None:
    """Their list has each page once, with its title and first sentence."""
    text = (pages / "llms.txt").read_text()
    assert text.startswith("# Mancala Arena\n\n> Mancala Arena lets programs play mancala")
    linked = re.findall(r"^- \[.+\]\((.+)\): .+[.:]$", text, re.MULTILINE)
    assert sorted(linked) == sorted(
        path.name for path in pages.glob("*.md") if path.stem != "index"
    )
