"""The HTML around every page: its head, its sections, its data, and the files that it refers to.

A page carries the API's answers that its scripts begin with, in a script block of JSON, which a
browser does not run; scripts and styles come only from files. A page of mere text needs neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from string import Template
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.results import Contestant
from mancala.server.web.answers import path_of
from mancala.server.web.responses import Body
from mancala.server.web.static import File, modules_of, version_of

INDEX: Final = "index.html"
TEMPLATES: Final = ".html"
"""The end of the names of files that are filled in before they are sent, or written as reports."""
ROOT: Final = "/page"
HTML: Final = "text/html; charset=utf-8"
MAIN: Final = "main.js"
EMBED: Final = "embed"
"""The query parameter that leaves out all but the thing itself, for frames on other sites."""
PRODUCT: Final = "Mancala Arena"
RECORD: Final = "/games/{game}"
SCRIPTS: Final = """\
<script type="application/json" id="data">{data}</script>
    <script type="module" src="{root}/main.js"></script>"""
LOG: Final = '\n      <a href="/log">The organiser\'s log</a>'
NOTICE: Final = '<aside class="notice" aria-label="Notice">{}</aside>'
NO_SCRIPT: Final = """\
<noscript><p class="note">This page needs JavaScript. What it shows is also at \
<a href="/api/v1">/api/v1</a>.</p></noscript>"""


class Need(NamedTuple):
    """An answer of the API that a page begins with.

    Attributes:
        path: the endpoint's path; the page's own parameters fill its braces.
        query: its other parameters.
        passed: parameters of the page that it gets as well, as far as they are given.
    """

    path: str
    query: Mapping[str, str] = MappingProxyType({})
    passed: tuple[str, ...] = ()

    def query_of(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return its other parameters, on a page with these parameters."""
        passed = {name: given[name] for name in self.passed if given.get(name)}
        return {name: text.format_map(given) for name, text in self.query.items()} | passed


class Page(NamedTuple):
    """A page.

    Attributes:
        name: the function of the scripts that shows it.
        path: its address, with names in braces.
        module: the module of that function.
        title: its title, in which names in braces are replaced.
        needs: the answers that it begins with; the first one decides whether the page exists.
        may_be_framed: whether other sites may show it in a frame, with ``?embed``.
        kind: the class of its body: what is shown around it.
        feed: what follows its address for a feed of its news.
    """

    name: str
    path: str
    module: str
    title: str
    needs: tuple[Need, ...] = ()
    may_be_framed: bool = False
    kind: str = "whole"
    feed: str = ""


class _Players(Struct):
    """The part of a record that a title needs."""

    players: tuple[Contestant, Contestant]


class _Server(Struct):
    """The part of the server's description that each page shows."""

    server: str
    notice: str | None = None
    public_log: bool = False


class Shell:
    """The HTML around every page, and the files that it refers to."""

    def __init__(self, found: Mapping[str, File], modules: Iterable[str]) -> None:
        """Prepare the pages.

        Args:
            found: the pages' files.
            modules: those that show a page each.
        """
        self.version = version_of(found)
        self.files = {
            name: Body(each.body, each.media_type)
            for name, each in found.items()
            if not name.endswith(TEMPLATES)
        }
        self._root = f"{ROOT}/{self.version}"
        self._template = Template(found[INDEX].body.decode())
        self._modules = {name: modules_of(found, MAIN, name) for name in modules}

    def html(
        self, page: Page, given: Mapping[str, str], answers: Mapping[str, bytes], origin: str
    ) -> bytes:
        """Return a page.

        Args:
            page: the page.
            given: its parameters.
            answers: the API's answers that it begins with, by address.
            origin: the server's address, for pictures that other programs fetch.
        """
        preload = '<link rel="modulepreload" href="{}/{}">'
        names = self._modules[page.module]
        data = b'{"page":%b,"module":%b,"parameters":%b,"answers":{%b}}' % (
            codec.to_json(page.name),
            codec.to_json(f"./{page.module}"),
            codec.to_json(given),
            b",".join(b"%b:%b" % (codec.to_json(path), body) for path, body in answers.items()),
        )
        title, about = _title(page, given, answers), _server_of(answers)
        return self._filled(
            title=title,
            server=about.server,
            kind="embed" if EMBED in given else page.kind,
            notice=NOTICE.format(escape(about.notice)) if about.notice else "",
            log=LOG if about.public_log else "",
            base='<base target="_blank">' if EMBED in given else "",
            head="\n    ".join(
                [
                    *_social(page, title, given, origin),
                    *(preload.format(self._root, name) for name in names),
                    SCRIPTS.format(data=data.decode().replace("<", "\\u003c"), root=self._root),
                ]
            ),
            content=NO_SCRIPT,
        )

    def text(self, title: str, server: str, content: str) -> bytes:
        """Return a page that shows a text and runs no scripts.

        Args:
            title: its title.
            server: the server's name.
            content: what it shows, as HTML.
        """
        return self._filled(
            title=title,
            server=server,
            kind="whole",
            **dict.fromkeys(("notice", "log", "base", "head"), ""),
            content=content,
        )

    def _filled(self, *, title: str, server: str, **parts: str) -> bytes:
        return self._template.substitute(
            title=escape(f"{title} · {server}"), server=escape(server), root=self._root, **parts
        ).encode()


def _social(page: Page, title: str, given: Mapping[str, str], origin: str) -> Iterator[str]:
    """Yield what other programs show beside a link to a page (the Open Graph protocol)."""
    yield f'<meta property="og:title" content="{escape(title)}">'
    yield '<meta property="og:type" content="website">'
    if page.feed:
        address = escape(f"{path_of(page.path, given)}{page.feed}")
        yield f'<link rel="alternate" type="application/atom+xml" title="Games" href="{address}">'
    if page.path.startswith(RECORD):
        image = f"{origin}{path_of(RECORD, given)}/{given.get('ply', 0)}.png"
        yield f'<meta property="og:image" content="{escape(image)}">'
        yield '<meta property="og:image:width" content="1200">'
        yield '<meta property="og:image:height" content="630">'
        yield '<meta name="twitter:card" content="summary_large_image">'


def _title(page: Page, given: Mapping[str, str], answers: Mapping[str, bytes]) -> str:
    if "{players}" not in page.title:
        return page.title.format_map(given)
    try:
        found = codec.from_json(answers[path_of(RECORD, given)], _Players)
    except (KeyError, codec.DecodeError):
        return "No such game"
    names = " against ".join(player.name for player in found.players)
    return page.title.format_map({**given, "players": names})


def _server_of(answers: Mapping[str, bytes]) -> _Server:
    about = answers.get("")
    return _Server(PRODUCT) if about is None else codec.from_json(about, _Server)
