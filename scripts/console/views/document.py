"""Reports as one HTML file: the server's page with its modules, styles and data inside.

Its modules are one pack, at a ``data:`` address that an import map names. The file needs neither a
server nor a network, and its policy forbids it both.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from string import Template
from typing import Any, Final

from mancala.protocol import codec
from mancala.server.web.languages import ENGLISH, catalogues
from mancala.server.web.static import File, files
from mancala.server.web.static.packs import MAIN, SHARED, pack

TEMPLATE: Final = "report.html"
MODULE: Final = "report.js"
STYLE: Final = "style.css"
ICON: Final = "icon.svg"
DATA: Final = re.compile(r'<script type="application/json" id="data">(.*?)</script>')


def document(
    page: str,
    title: str,
    data: dict[str, Any],
    *,
    reload_s: int | None = None,
    module: str = MODULE,
    found: Mapping[str, File] | None = None,
) -> str:
    """Return a report as HTML: the page's function of a module draws the data."""
    found = found or files()
    opened = {
        "page": page,
        "module": SHARED,
        "parameters": {},
        "words": catalogues()[ENGLISH].entries,
        "answers": {f"/{page}": data},
        "isFile": True,
    }
    reload = "" if reload_s is None else f'<meta http-equiv="refresh" content="{reload_s}">'
    return Template(found[TEMPLATE].body.decode()).substitute(
        title=escape(title),
        reload=reload,
        icon=_address(found[ICON]),
        style=found[STYLE].body.decode(),
        modules=_inside(codec.to_json({"imports": {SHARED: _address(pack(found, module, MAIN))}})),
        data=_inside(codec.to_json(opened)),
    )


def data_of(report: str) -> str:
    return str(DATA.findall(report)[0])


def _address(file: File) -> str:
    media_type = file.media_type.replace(" ", "")
    return f"data:{media_type};base64,{b64encode(file.body).decode()}"


def _inside(json: bytes) -> str:
    """Return JSON that can't end the element around it."""
    return json.decode().replace("<", "\\u003c")
