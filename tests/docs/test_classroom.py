"""The table at the end of the classroom leads to commands, tests and sections that exist."""

from __future__ import annotations

import re
import shlex

import pytest
import typer
from typer.core import TyperGroup

from mancala.engine.evaluation.features import NAMES
from mancala.scripts import mancala
from tests.sources import ROOT

CHAPTER = (ROOT / "docs" / "classroom.md").read_text()
ROW = r"^\| (.+?) \| `mancala (.+?)` \| `(.+?)` \| \[(.+?)\]\(#(.+?)\) \|$"
ROWS = re.findall(ROW, CHAPTER, re.MULTILINE)


def test_what_a_learner_prints_has_every_feature() -> None:
    """The weights that `mancala learn td` finds are shown by their names of today, in order."""
    printed = CHAPTER.partition("\nweights, in seeds:\n")[2].partition("```")[0]
    names = tuple(line.split()[0] for line in printed.splitlines())
    assert names == NAMES, "print it anew: the command stands above it in docs/classroom.md"


def test_every_row_has_a_command_a_test_and_a_section() -> None:
    """No row of the table lacks one."""
    table = CHAPTER[CHAPTER.index("| topic |") :].strip().splitlines()
    assert len(ROWS) == len(table) - 2 >= 25


@pytest.mark.parametrize(("topic", "command", "test", "title", "anchor"), ROWS)
def test_a_row_leads_somewhere(
    topic: str, command: str, test: str, title: str, anchor: str
) -> None:
    """The command is known, the file is there, and the section has this title."""
    group = typer.main.get_command(mancala.build())
    for word in shlex.split(command):
        if not isinstance(group, TyperGroup):
            break
        group = group.commands[word]
    assert (ROOT / test).is_file(), topic
    assert f"\n## {title}\n" in CHAPTER
    assert anchor == re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
