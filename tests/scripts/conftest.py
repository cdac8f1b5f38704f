"""The browser that reads reports."""

from tests.server.web.conftest import browser

__all__ = ["browser"]
