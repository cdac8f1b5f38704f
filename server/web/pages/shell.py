"""The HTML around every page: its head, its sections, its data, and the files that it refers to.

A page carries the API's answers that its scripts begin with, and their words in the reader's
language, in a script block of JSON, which a browser does not run; scripts and styles come only from
files. A page of mere text needs neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path  # noqa: TID251  # the type; a plug-in names the file
from string import Template
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.record import GameRecord

from ..api.answers import path_of
from ..api.feeds import FEED
from ..http.responses import BEST_GZIP, Body
from ..languages import ENGLISH, LANGUAGES, RIGHT_TO_LEFT, Catalogue, catalogues, keys_in
from ..static import File, modules_of, sent, sheets_of, version_of
from ..static.packs import MAIN, SHARED, pack_of, packs
from .captions import caption_of, losing_move
from .plain import plain_tables

INDEX: Final = "index.html"
TEMPLATES: Final = ".html"
"""The end of the names of files that are filled in before they are sent, or written as reports."""
ROOT: Final = "/page"
HTML: Final = "text/html; charset=utf-8"
EMBED: Final = "embed"
"""The query parameter that leaves out all but the thing itself, for frames on other sites."""
PRODUCT: Final = "Mancala Arena"
RECORD: Final = "/games/{game}"
REVIEW: Final = f"{RECORD}/review"
PUZZLE: Final = "/puzzles/{day}"
PUZZLE_TITLE: Final = "The puzzle of {{day}}"
ABOUT: Final = "[[Ladders, bots, games and reviews of a mancala match server.]]"
SCRIPT: Final = '<script type="module" src="{}/{}"></script>'
DATA: Final = '<script type="application/json" id="data">{}</script>'
LOG: Final = '\n      <a href="/log">[[The organiser\'s log]]</a>'
LINK: Final = '\n      <a href="{}">{}</a>'
NOTICE: Final = '<aside class="notice" aria-label="[[Notice]]">{}</aside>'
NO_SCRIPT: Final = """\
<noscript><p class="note">[[This page needs JavaScript. What it shows is also at]] \
<a href="/api/v1">/api/v1</a>.</p>{}</noscript>"""
LANGUAGE: Final = '<a href="?lang={0}" hreflang="{0}" lang="{0}"{2}>{1}</a>'
ALTERNATE: Final = '<link rel="alternate" type="application/atom+xml" title="{}" href="{}">'
NONE: Final = "No such game"
GAMES: Final = "Games"
KIND: Final = re.compile(r":\w+}")
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Page(NamedTuple):
    """A page.

    Attributes:
        needs: addresses of the API's answers that it begins with; the page's own parameters fill
            their braces, and the first one decides whether the page exists.
        may_be_framed: whether other sites may show it in a frame, with ``?embed``.
        kind: the class of its body: what is shown around it.
    """

    name: str
    path: str
    module: str
    title: str
    needs: tuple[str, ...] = ()
    may_be_framed: bool = False
    kind: str = "whole"
    has_feed: bool = False
    script: Path | None = None

    @property
    def address(self) -> str:
        """Its path without the kinds of its parameters, as `path_of` fills it."""
        return KIND.sub("}", self.path)


class _Server(Struct):
    server: str
    notice: str | None = None
    public_log: bool = False


class Shell:
    """The HTML around every page, and the files that it refers to."""

    def __init__(
        self,
        found: Mapping[str, File],
        pages: Sequence[Page],
        server_name: Callable[[], str] = lambda: PRODUCT,
    ) -> None:
        """Prepare pages and their files; pages of plug-ins are linked below each."""
        self.server_name = server_name
        own = [page.module for page in pages if page.script is None]
        found = {**found, **packs(found, own)}
        self.version = version_of(found)
        self.files = {
            name: Body(sent(name, each), each.media_type, BEST_GZIP)
            for name, each in found.items()
            if not name.endswith(TEMPLATES)
        }
        self._root = f"{ROOT}/{self.version}"
        self._template = found[INDEX].body.decode()
        self._scripts = {
            page.module: [SHARED, pack_of(page.module)]
            if page.script is None
            else modules_of(found, MAIN, page.module)
            for page in pages
        }
        self._sheets = {name: sheets_of(found, name) for name in self._scripts}
        self._links = [page for page in pages if page.script and "{" not in page.path]
        texts = {name: _texts(found, name) for name in self._scripts}
        self._dresses = {each.language: self._dress(texts, each) for each in catalogues().values()}

    def _dress(self, texts: Mapping[str, frozenset[str]], words: Catalogue) -> _Dress:
        return _Dress(
            words,
            "".join(LINK.format(page.path, escape(words.text(page.title))) for page in self._links),
            *(Template(words.html(self._template)), words.html(NOTICE)),
            *(words.html(LOG), words.html(NO_SCRIPT)),
            {name: codec.to_json(words.part(keys)) for name, keys in texts.items()},
        )

    def html(
        self,
        page: Page,
        named: Mapping[str, str],
        answers: Mapping[str, bytes],
        origin: str,
        language: str = ENGLISH,
        query: Mapping[str, str] = NOTHING,
    ) -> bytes:
        """Return a page with its parameters, and the answers that it begins with, by address."""
        dress, given = self._dresses[language], {**query, **named}
        preload = '<link rel="modulepreload" href="{}/{}">'
        sheet = '<link rel="stylesheet" href="{}/{}">'
        first, module, *others = self._scripts[page.module]
        data = b'{"page":%b,"module":%b,"parameters":%b,"words":%b,"answers":{%b}}' % (
            codec.to_json(page.name),
            codec.to_json(f"./{module}"),
            codec.to_json(given),
            dress.scripts[page.module],
            b",".join(b"%b:%b" % (codec.to_json(path), body) for path, body in answers.items()),
        )
        server = _server_of(answers)
        told = _told(page, named, answers, dress.words)
        return dress.filled(
            root=self._root,
            title=told.title,
            about=escape(told.about),
            server=server.server,
            kind="embed" if EMBED in given else page.kind,
            notice=dress.notice.format(escape(server.notice)) if server.notice else "",
            log=dress.log if server.public_log else "",
            base='<base target="_blank">' if EMBED in given else "",
            head="\n    ".join(
                [
                    SCRIPT.format(self._root, first),  # the largest file, so it is asked for first
                    *_social(page, told, named, origin, dress.words),
                    *(sheet.format(self._root, name) for name in self._sheets[page.module]),
                    *(preload.format(self._root, name) for name in (module, *others)),
                    DATA.format(data.decode().replace("<", "\\u003c")),
                ]
            ),
            content=dress.no_script.format(
                told.content + "".join(plain_tables(page.needs, named, answers, dress.words))
            ),
        )

    def words(self, language: str) -> Catalogue:
        return self._dresses[language].words

    def text(self, title: str, content: str, language: str = ENGLISH) -> bytes:
        """Return a page that shows a text and runs no scripts: an English title, and HTML."""
        dress = self._dresses[language]
        return dress.filled(
            root=self._root,
            title=dress.words.text(title),
            about=dress.words.html(ABOUT),
            server=self.server_name(),
            kind="whole",
            **dict.fromkeys(("notice", "log", "base", "head"), ""),
            content=content,
        )


class _Dress(NamedTuple):
    """What is around the pages in a language; the scripts' words are JSON, by their module."""

    words: Catalogue
    links: str
    template: Template
    notice: str
    log: str
    no_script: str
    scripts: Mapping[str, bytes]

    def filled(self, *, title: str, server: str, **parts: str) -> bytes:
        return self.template.substitute(
            title=escape(f"{title} · {server}"),
            server=escape(server),
            links=self.links,
            language=self.words.language,
            direction="rtl" if self.words.language in RIGHT_TO_LEFT else "ltr",
            languages=" ".join(self._languages()),
            **parts,
        ).encode()

    def _languages(self) -> Iterator[str]:
        for code, name in LANGUAGES.items():
            mark = ' aria-current="true"' if code == self.words.language else ""
            yield LANGUAGE.format(code, name, mark)


def _texts(found: Mapping[str, File], page: str) -> frozenset[str]:
    """Return the texts of a page's modules, and of those that it loads later."""
    names = modules_of(found, MAIN, page, with_later=True)
    return frozenset[str]().union(*(keys_in(found[name].body) for name in names))


def _social(
    page: Page, told: _Told, named: Mapping[str, str], origin: str, words: Catalogue
) -> Iterator[str]:
    """Yield what other programs show beside a link to a page (the Open Graph protocol)."""
    address = RECORD if page.path.startswith(RECORD) else page.address
    yield f'<link rel="canonical" href="{escape(origin + path_of(address, named))}">'
    yield f'<meta property="og:title" content="{escape(told.title)}">'
    yield '<meta property="og:type" content="website">'
    if page.has_feed:
        address = escape(f"{path_of(page.address, named)}{FEED}")
        yield ALTERNATE.format(escape(words.text(GAMES)), address)
    if told.picture:
        yield f'<meta property="og:description" content="{escape(told.about)}">'
        yield f'<meta property="og:image" content="{escape(origin + told.picture)}.png">'
        yield '<meta property="og:image:width" content="1200">'
        yield '<meta property="og:image:height" content="630">'
        yield '<meta name="twitter:card" content="summary_large_image">'


class _Told(NamedTuple):
    """What a page says of itself where no script runs: to programs, and to readers.

    Attributes:
        about: a sentence or two, as text.
        picture: the address of its picture, without the end that names the format; empty if none.
        content: the same for readers, as HTML.
    """

    title: str
    about: str
    picture: str = ""
    content: str = ""


def _told(
    page: Page, named: Mapping[str, str], answers: Mapping[str, bytes], words: Catalogue
) -> _Told:
    about = words.html(ABOUT)
    if page.path.startswith(PUZZLE):
        return _Told(words.text(page.title, **named), about, path_of(PUZZLE, named))
    if not page.path.startswith(RECORD):
        return _Told(words.text(page.title, **named), about)
    try:
        record = codec.from_json(answers[path_of(RECORD, named)], GameRecord)
        losing = losing_move(answers.get(path_of(REVIEW, named)))
    except (KeyError, codec.DecodeError):
        return _Told(words.text(NONE), about)
    caption = caption_of(record, losing, words, "")
    shown = named.get("ply") or (0 if losing is None else losing.ply + 1)
    picture = f"{path_of(RECORD, named)}/{shown}"
    return _Told(
        words.text(page.title, **named, players=caption.title),
        caption.about,
        picture,
        f'<p>{escape(caption.about)}</p><img src="{escape(picture)}.svg" alt="" width="100%">',
    )


def _server_of(answers: Mapping[str, bytes]) -> _Server:
    about = answers.get("")
    return _Server(PRODUCT) if about is None else codec.from_json(about, _Server)
