"""A report in a browser, held to what every page is held to."""

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from mancala.scripts.console.views import document
from tests.server.web.browser import Tab, visiting


@contextlib.asynccontextmanager
async def reading(browser: Browser, path: Path, **options: Any) -> AsyncIterator[Tab]:  # noqa: ANN401  # playwright's
    """Open a report from its file; it asks for nothing else, and the browser finds no fault."""
    options = {"offline": True, "reduced_motion": "reduce", **options}
    async with visiting(browser, path.as_uri(), **options) as visit:
        await visit.page.goto(path.as_uri())
        yield visit
        assert visit.complaints == []
        own = ("data:", path.as_uri())
        assert [url for url in visit.requests if not url.startswith(own)] == []


def data_of(text: str, page: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(document.data_of(text))["answers"][f"/{page}"]
    return data
