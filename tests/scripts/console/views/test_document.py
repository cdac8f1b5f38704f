"""Reports as one file."""

import json
import re
import subprocess
import sys
from base64 import b64decode
from typing import Final

from mancala.scripts.console.views.document import document

WITHOUT_THE_SERVER: Final = """
import sys
sys.modules.update(dict.fromkeys(("aiomqtt", "alembic", "sqlalchemy", "starlette", "uvicorn")))
from mancala.scripts.console.views.document import document
print(len(document("rating", "How strong is it?", {})))
"""


def test_a_report_needs_nothing_that_only_a_server_has() -> None:
    """``rate``, ``match`` and ``tournament`` write reports where the extra is the engine's."""
    asked = [sys.executable, "-c", WITHOUT_THE_SERVER]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 10_000


def test_all_that_the_modules_import_is_inside() -> None:
    """The import map has one module, which imports none."""
    found = re.search(r'<script type="importmap">(.*?)</script>', document("event", "An event", {}))
    assert found is not None
    (address,) = json.loads(found[1])["imports"].values()
    text = b64decode(address.partition(",")[2]).decode()
    assert {"$main", "$report", "$charts"} <= set(
        re.findall(r"^const ([$]\w+) = ", text, re.MULTILINE)
    )
    assert not re.findall(r"^import ", text, re.MULTILINE)


def test_the_file_refers_to_nothing_outside() -> None:
    """No style, picture or script has an address elsewhere, and the policy forbids it."""
    page = document("event", "An event", {})
    assert not re.findall(r'(?:src|href)="(?!data:|#)', page)
    assert "default-src 'none'" in page


def test_markup_in_titles_and_data_stays_text() -> None:
    """It can end neither the title nor the block of data."""
    page = document("event", "</title><b>", {"title": "</script><b>"})
    assert "<b>" not in page
    assert "&lt;/title&gt;" in page


def test_a_report_in_progress_asks_the_browser_to_look_again() -> None:
    """Only where it is asked for."""
    assert 'content="5"' in document("tuning", "Tuning", {}, reload_s=5)
    assert "refresh" not in document("tuning", "Tuning", {})
