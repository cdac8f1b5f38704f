"""No test counts seconds of a busy machine where a library would by itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.sources import ROOT

CLIENTS = {"AsyncClient", "Client"}


def of_its_own(path: Path) -> Iterator[str]:
    """Yield where a client of HTTP is opened with the library's five seconds."""
    for call in ast.walk(ast.parse(path.read_text())):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            is_client = ast.unparse(call.func.value) == "httpx" and call.func.attr in CLIENTS
            if is_client and not {"timeout", "transport"} & {each.arg for each in call.keywords}:
                yield f"{path.relative_to(ROOT)}:{call.lineno}"


def test_each_client_of_http_is_as_patient_as_its_test() -> None:
    """By a timeout of its own; one over no network needs none."""
    paths = [path for path in (ROOT / "tests").rglob("*.py") if "httpx." in path.read_text()]
    found = [place for path in paths for place in of_its_own(path)]
    assert not found, "add timeout=PATIENCE_S of tests/patience.py"
