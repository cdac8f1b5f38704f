"""No test counts seconds of a busy machine, by itself or where a library would."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.sources import ROOT

CLIENTS = {
    *("httpx.AsyncClient", "httpx.Client", "aiomqtt.Client"),
    *("client.connect", "websockets.connect", "websockets.asyncio.client.connect"),
}
PATIENT = {"timeout", "transport", "open_timeout"}
HASTY = re.compile(r"(?<!for_)timeout[(=][1-9][\d.]*[,)]|wait_for\(.*, [1-9][\d.]*\)")
"""Less than a second is waited where nothing is to come."""
VIRTUAL = ("tests/simulate/", "tests/server/health/test_child_process.py")
"""Where seconds are those of a virtual clock."""


def of_its_own(path: Path) -> Iterator[str]:
    """Yield where a test waits by seconds of a library, or by some of its own."""
    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if HASTY.search(line):
            yield f"{path.relative_to(ROOT)}:{number}"
    if not any(client in text for client in (*CLIENTS, "websockets")):
        return
    for each in ast.walk(ast.parse(text)):
        match each:
            case ast.Call(func, keywords=given):
                is_hasty = ast.unparse(func) in CLIENTS and not PATIENT & {e.arg for e in given}
            case ast.ImportFrom(str(module), names):
                is_hasty = module.startswith("websockets") and "connect" in {e.name for e in names}
            case _:
                continue
        if is_hasty:
            yield f"{path.relative_to(ROOT)}:{each.lineno}"


def test_each_wait_is_as_patient_as_its_test() -> None:
    """Clients of HTTP, MQTT and websockets, and literal seconds; what needs no network is free."""
    paths = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "tests").rglob("*.py")}
    waiting = [path for name, path in sorted(paths.items()) if not name.startswith(VIRTUAL)]
    found = [place for path in waiting for place in of_its_own(path)]
    assert not found, "use PATIENCE_S and connect of tests/patience.py"
