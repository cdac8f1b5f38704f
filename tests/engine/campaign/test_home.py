"""The directory of a campaign."""

from pathlib import Path

import pytest
from msgspec import structs

from mancala.engine.campaign import home
from mancala.protocol.rules import Board, Rules

START = Board.start(Rules.parse("kalah-empty-capture:pits=3,seeds=2"))


def test_a_definition_comes_back(tmp_path: Path) -> None:
    """The position and its rules are read as they were written."""
    home.create(tmp_path / "new", home.Definition.of(START))
    start = home.read(tmp_path / "new").start
    assert (start.text, start.rules.capture) == (START.text, START.rules.capture)


def test_a_directory_holds_one_campaign(tmp_path: Path) -> None:
    """A second campaign is refused."""
    home.create(tmp_path, home.Definition.of(START))
    with pytest.raises(home.CampaignError, match="--resume"):
        home.create(tmp_path, home.Definition.of(START))


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b'{"board":"<1>","rules":"kalah"}', b'{"board":"<2,0,0,1,1,1,1>","rules":"x"}'],
)
def test_a_damaged_definition_is_refused(content: bytes, tmp_path: Path) -> None:
    """What is no definition is reported with its path."""
    (tmp_path / home.DEFINITION).write_bytes(content)
    with pytest.raises(home.CampaignError, match=home.DEFINITION):
        home.read(tmp_path)


def test_a_definition_of_another_version_is_refused(tmp_path: Path) -> None:
    """A later version's files are not touched."""
    later = structs.replace(home.Definition.of(START), format=home.FORMAT + 1)
    home.create(tmp_path, later)
    with pytest.raises(home.CampaignError, match="version"):
        home.read(tmp_path)


def test_changed_rules_are_refused(tmp_path: Path) -> None:
    """Rules that were changed in the file are not those that the subproofs hold for."""
    home.create(tmp_path, home.Definition.of(START))
    path = tmp_path / home.DEFINITION
    path.write_text(path.read_text().replace("kalah-empty-capture", "kalah"))
    with pytest.raises(home.CampaignError, match="changed"):
        home.read(tmp_path)
