"""A page of the documentation as a PDF, as journals print it: ``python -m docs.paper FILE.pdf``.

It prints the page on Kalah(6,6) with the system's chromium.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import PdfMargins, sync_playwright

from docs import site
from docs.pictures import BROWSER, FLAGS

PAGE: Final = "kalah-6-6.html"
STYLE: Final = """
  .sidebar-drawer, .toc-drawer, .headerlink, .content-icon-container { display: none !important }
  header, footer { display: none !important }
  body { font: 10pt/1.4 Georgia, "DejaVu Serif", serif }
"""


def print_page(path: Path) -> None:
    """Render the documentation and print the page to a file."""
    with TemporaryDirectory() as temporary, sync_playwright() as playwright:
        site.render(Path(temporary))
        browser = playwright.chromium.launch(executable_path=BROWSER, args=list(FLAGS))
        page = browser.new_page()
        page.goto((Path(temporary) / PAGE).as_uri())
        page.add_style_tag(content=STYLE)
        margin: PdfMargins = {"top": "22mm", "bottom": "22mm", "left": "20mm", "right": "20mm"}
        page.pdf(path=path, format="A4", margin=margin)
        browser.close()


if __name__ == "__main__":
    print_page(Path(sys.argv[1]))
