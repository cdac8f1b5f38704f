"""The exit codes of all commands that act on a server or its store: 0, 1 for refused, 2 for wrong.

A walk over one store: what a line needs is done by those before it.
"""

from pathlib import Path
from typing import Final

import pytest
import typer
from typer.core import TyperGroup

from mancala.scripts.mancala import build
from tests.scripts.commands.results import mancala
from tests.server.control.operators import kept
from tests.server.store import databases

GROUPS: Final = ("admin", "event", "token", "store")
DAMAGE: Final = "UPDATE pairs SET wins = wins + 5"
WALK: Final = """
admin who -> 0
admin who --nonsense -> 2
admin bans -> 0
admin held -> 0
admin aside -> 0
admin log -> 0
admin log --last 0 -> 2
admin notice Hello. -> 0
admin notice -> 0
admin notice -> 1
admin ban eve --for 1d -> 0
admin ban -> 2 name one of the three
admin ban eve --for soon -> 2 'soon' is no duration
admin ban eve --for -1d -> 2 must be more than nothing
admin unban eve -> 0
admin unban eve -> 1 there is no ban on name eve
admin undo 1 -> 1
admin undo -> 2
admin quarantine main ann -> 0
admin quarantine main eve -> 1
admin release main ann -> 0
admin release main ann -> 1
admin pause main -> 0
admin pause main -> 1
admin pause mian --dry-run -> 1 there is no ladder mian; there are: main
admin resume main -> 0
admin resume main -> 1
admin close main -> 0
admin close main -> 1
admin open main -> 0
admin open main -> 1
admin drain --hold --dry-run -> 0
admin drain -> 0
admin drain -> 1
admin drain --hold -> 1
admin undrain -> 0
admin undrain -> 1 test is not drained
admin confirm nope -> 1
admin drop nope -> 1
admin drop nope --hold -> 2
admin reload -> 1
admin rename ann ada -> 0
admin rename ann ada -> 1
admin rename ada a/b -> 2
admin merge ada bob -> 1
admin abort nope -> 1
admin replay nope -> 1
admin annul --bot ada --dry-run -> 0
admin annul nope -> 1
admin annul -> 2
admin check -> 0
DAMAGE
admin check -> 1
admin check --json -> 1
admin recompute --dry-run -> 0
admin recompute -> 0
admin recompute -> 0
admin check -> 0
admin season main -> 0
admin season main -> 1
event list -> 0
event show final -> 0
event show cup -> 1 there is no event cup; there are: final
event show -> 2
event bye final ann 1 -> 1
event bye final ann one -> 2
event open final -> 0
event open final -> 1
event check-in final -> 0
event check-in final -> 1
event start final -> 1
event start cup -> 1
event pause final -> 0
event pause final -> 1
event resume final -> 0
event resume final -> 1 while the event is
event publish final -> 1
event withdraw final ann -> 1
event replay final ann -> 1
event forfeit final ann -> 1
event annul final nope -> 1
event result final ann win --why late -> 1
event pair final ann bob 2 -> 1
event reinstate final ann -> 1
event reveal final -> 1
event edit final --format rr -> 1
event delete final -> 1
event export final FOLDER/final.json -> 1
event cancel final --dry-run -> 0
event cancel final -> 0
event cancel final -> 1
event export final FOLDER/final.json -> 0
event import FOLDER/final.json --name copy -> 0
event import FOLDER/final.json --name copy -> 1
event import FOLDER/none -> 1
event new cup --format rr --entrants ann,bob -> 0
event new cup --format rr --entrants ann,bob -> 1
event new other --format arean -> 2 format
event new other --file FOLDER/none -> 2
event edit cup --games 4 -> 0
token new ann -> 0
event grant cup ann helper -> 0
event revoke cup ann -> 0
event revoke cup ann -> 1
event delete cup -> 0
event delete cup -> 1
token new a/b -> 2 cannot be a name
token list -> 0
token revoke ann -> 0
token revoke ann -> 1
store digest -> 0
store show nope -> 2 there is no such game in the store
store upgrade -> 0
store copy STORE FOLDER/copy.sqlite3 -> 0
store copy FOLDER/none FOLDER/other.sqlite3 -> 2
store downgrade -> 0
"""
"""Commands with the codes that they end with, and some of their errors."""
WITHOUT_A_STORE: Final = (
    *(
        "admin who",
        "token new ann",
        "token list",
        "token revoke ann",
        "store upgrade",
        "store digest",
        "store show game",
    ),
    *("archive export main FOLDER/file", "backup FOLDER/copy"),
)


@pytest.fixture
async def config(tmp_path: Path) -> Path:
    """The settings of a server with a ladder that has games, and an event without entrants."""
    return await kept(tmp_path)


def test_each_command_ends_with_its_code(tmp_path: Path, config: Path) -> None:
    """No command is left out, and what is wrong or refused is one sentence."""
    walked = set()
    for line in WALK.split("\n")[1:-1]:
        if line == "DAMAGE":
            databases.execute(databases.place_of(tmp_path), DAMAGE)
            continue
        words, _, end = line.replace("FOLDER", str(tmp_path)).partition(" -> ")
        code, _, said = end.partition(" ")
        given = words.replace("STORE", databases.place_of(tmp_path)).split()
        at = () if given[:2] == ["store", "copy"] else ("--config", str(config))
        done = mancala(*given, *at)
        assert done.exit_code == int(code), (line, done.output)
        assert isinstance(done.exception, SystemExit | None), line
        assert said in done.stderr
        assert code == "0" or done.stderr.strip().count("\n") == 0 or "Usage" in done.stderr
        walked.add(tuple(given[:2]))
    groups = {name: typer.main.get_group(build()).commands[name] for name in GROUPS}
    assert walked == {
        (name, each)
        for name, group in groups.items()
        if isinstance(group, TyperGroup)
        for each in group.commands
    }


@pytest.mark.parametrize("words", WITHOUT_A_STORE)
def test_a_mistyped_path_leaves_no_store_behind(tmp_path: Path, words: str) -> None:
    """It is bad input; neither folders nor files are made."""
    given = words.replace("FOLDER", str(tmp_path)).split()
    done = mancala(*given, "--store", str(tmp_path / "typo" / "store.sqlite3"))
    assert done.exit_code == 2
    assert "there is no store at" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_store_of_another_kind_is_no_path() -> None:
    """Its URL once became folders."""
    done = mancala("token", "new", "ann", "--store", "mysql://h/x")
    assert done.exit_code == 2
    assert "store: must be a path, postgresql://… or :memory:, not mysql://…" in done.stderr
