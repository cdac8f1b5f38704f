"""What a release states of itself: one version, one date, addresses in one file."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.sources import ROOT

PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FORMS: Final = [
    path
    for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    if path.name != "config.yml"
]
FOLDERS: Final = (
    *(".", ".ci", ".devcontainer", ".github/ISSUE_TEMPLATE", ".gitlab/issue_templates"),
    *("docs", "scripts", "scripts/deploy", "mancala"),
)
HEADING: Final = r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$"
INPUTS: Final = {"checkboxes", "dropdown", "input", "markdown", "textarea"}


def test_the_changelog_and_the_citation_name_this_version_and_one_date() -> None:
    """The newest version of the changelog is the project's, and was cited on the same day."""
    changelog = (ROOT / "CHANGELOG.md").read_text()
    version, date = re.findall(HEADING, changelog, re.MULTILINE)[0]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert version == PROJECT["version"] == citation["version"]
    assert date == str(citation["date-released"])


def test_the_projects_addresses_stand_in_one_file() -> None:
    """Nothing but pyproject.toml has to change when the project moves."""
    hosts = {url.split("/")[2] for url in PROJECT["urls"].values()}
    files = [path for folder in FOLDERS for path in (ROOT / folder).glob("*") if path.is_file()]
    naming = [path for path in files if any(host in path.read_text() for host in hosts)]
    assert naming == [ROOT / "pyproject.toml"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_for_issues_has_what_forges_ask_for(form: Path) -> None:
    """A name, a description, and fields of known types, each with a name of its own."""
    loaded: dict[str, Any] = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= loaded.keys()
    fields = [field for field in loaded["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in loaded["body"]} <= INPUTS
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
