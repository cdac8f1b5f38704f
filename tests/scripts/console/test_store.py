"""Commands that work on a server's store: how their failures end."""

import pytest
import typer

from mancala.scripts.console import output as console
from mancala.scripts.console.store import work_on_store
from mancala.server.store import StoreError
from mancala.server.store.carrying.archive_file import ArchiveFileError
from mancala.server.store.carrying.moving import Progress
from mancala.server.store.database.faults import StoreMissingError


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (StoreMissingError("there is no store"), console.USAGE),
        (ArchiveFileError("line 2 is damaged"), console.USAGE),
        (PermissionError(13, "Permission denied"), console.USAGE),
        (StoreError("the disk is full"), console.FAILED),
    ],
)
def test_a_failure_is_one_line_and_an_exit_code(
    failure: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Input that can't be used ends with 2, work that failed with 1."""

    def act(_progress: Progress) -> None:
        raise failure

    with pytest.raises(typer.Exit) as ended:
        work_on_store("Reading", act)
    assert ended.value.exit_code == code
    assert capsys.readouterr().err.splitlines()[-1].startswith("mancala: ")


def test_the_result_of_the_work_is_returned() -> None:
    """The work receives the callback of its progress."""
    assert work_on_store("Reading", callable)
