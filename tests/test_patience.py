"""No test counts seconds of a busy machine, by itself or where a library would."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.sources import ROOT

CLIENTS = {"httpx.AsyncClient", "httpx.Client", "aiomqtt.Client"}
HASTY = re.compile(
    r"(?<!for_)timeout[(=][1-9][\d.]*[,)]|wait_for\(.*, [1-9][\d.]*\)"
    r"|from websockets\.asyncio\.client import .*\bconnect\b"
)
"""Less than a second is waited where nothing is to come."""
VIRTUAL = ("tests/simulate/", "tests/server/health/test_child_process.py")
"""Where seconds are those of a virtual clock."""


def of_its_own(path: Path) -> Iterator[str]:
    """Yield where a test waits by seconds of a library, or by some of its own."""
    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if HASTY.search(line):
            yield f"{path.relative_to(ROOT)}:{number}"
    if not any(client in text for client in CLIENTS):
        return
    calls = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call))
    for call in (each for each in calls if ast.unparse(each.func) in CLIENTS):
        if not {"timeout", "transport"} & {each.arg for each in call.keywords}:
            yield f"{path.relative_to(ROOT)}:{call.lineno}"


def test_each_wait_is_as_patient_as_its_test() -> None:
    """Clients of HTTP, MQTT and websockets, and all else; what asks over no network waits not."""
    paths = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "tests").rglob("*.py")}
    waiting = [path for name, path in sorted(paths.items()) if not name.startswith(VIRTUAL)]
    found = [place for path in waiting for place in of_its_own(path)]
    assert not found, "use PATIENCE_S and connect of tests/patience.py"
