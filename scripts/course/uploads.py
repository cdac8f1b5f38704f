"""A course's pages over HTTP, and hand-ins by upload on a team's private page.

An upload is a zip. It is read with the suspicion of every hand-in before it is kept: what is too
large, leads out of the archive, or has no usable ``bot.toml`` is refused with the reason, and
nothing of it stays. What is taken replaces what the team handed in before; `HostedFolder` then
builds and checks it in the sandbox, as it does with each change of the folder. While that has not
been looked at, the upload waits: a good one must not be lost to a broken one that follows it in the
same minute.

Starlette reads the form into a file of no name in the system's temporary folder, and only a whole
one gets one of the few places for reading. So one that comes slowly, or never ends, keeps no other
team waiting. The port is the one of the server's pages: where too many connections are open, the
oldest yields that has brought no request. Of a team's uploads, the oldest yields.

An upload came when its last byte did, however long it then waited to be read. One that came too
late is refused on the page, and what was handed in before stays.

The server is for the loopback; a proxy before it speaks TLS.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
import tempfile
import threading
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import IO, Final

from anyio.from_thread import start_blocking_portal
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from mancala.protocol.text import whole_number
from mancala.server.config.settings import Config, Limits, LiveConfig
from mancala.server.net.limits.gate import HttpGate
from mancala.server.net.listening import listening_socket
from mancala.server.web.http.http_server import Ingress, serve_on

from ..hosting.admission import manifest_of
from ..hosting.handin import (
    MOST_BYTES,
    ZIP,
    Files,
    HandInError,
    blamed_on_hand_in,
    digest_of,
    late_reason,
    read_hand_in,
    reason_of,
    write_files,
)
from ..hosting.shelf import STATE, Shelf
from .blocks import Block, Heading, Paragraph, Quote, UploadForm, as_page, ending_with, noted
from .pseudonyms import page_key, page_token
from .report import PUBLIC
from .settings import TEAMS

HOST: Final = "127.0.0.1"
PAGE: Final = re.compile(r"/(?:(index)|([0-9a-f]{32}))(?:\.html)?")
SLACK: Final = 1 << 16
"""Bytes of a form beside its file."""
MOST_FIELDS: Final = 16
"""Fields of a form beside its file."""
AT_A_TIME: Final = 4
"""Uploads that are read at a time."""
MOST_OPEN: Final = 400
"""Connections; they come from this machine, which has no limit of its own."""
MOST_OF_A_TEAM: Final = 4
"""Uploads of one team that come at a time."""
UPLOAD_S: Final = 900.0
"""Time for an upload and its answer."""
NO_PAGE: Final = HTTPException(HTTPStatus.NOT_FOUND, "There is no such page.")
HEADERS: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
WAITING: Final = "waiting"
NOT_SHOWN: Final = (
    "What was handed in last may not be shown here yet: programs are checked and measured one"
    " after another."
)
MOST_WAITING: Final = 3
"""Uploads of a team that wait until the one before was looked at."""


class CourseUploads:
    """What teams upload, put where it is handed in.

    Args:
        course: the course's folder.
        teams: returns the names of all teams: those of their folders and zips.
        closes: returns until when a team's hand-in may come, in seconds of Unix time.
        is_looked_at: returns whether what a team handed in last may be replaced.
        is_reported: returns whether a team's page says what became of it.
        refuse: receives a team and why an upload of it that waited is refused.
    """

    def __init__(
        self,
        course: Path,
        teams: Callable[[], list[str]],
        closes: Callable[[str], float],
        is_looked_at: Callable[[str], bool],
        is_reported: Callable[[str], bool],
        refuse: Callable[[str, str], None],
    ) -> None:
        self._course = course
        self._teams = teams
        self._closes = closes
        self._is_looked_at = is_looked_at
        self._is_reported = is_reported
        self._refuse = refuse
        self._key = page_key(course)
        self._turn = threading.Lock()

    def page(self, path: str) -> bytes | None:
        """Return the page of an address; None where there is none."""
        found = PAGE.fullmatch("/index" if path == "/" else path)
        if found is None:
            return None
        file = self._course / PUBLIC / f"{found[1] or found[2]}.html"
        if not file.exists():
            return None
        page = file.read_text()
        with suppress(OSError):  # what is handed in may be out of reach; the page is not
            team = None if found[1] else self.team_of(path)
            if team is not None:
                page = ending_with(page, UploadForm("Hand in a zip with bot.toml:"))
                if self._waiting(team) or not self._is_reported(team):
                    page = noted(page, NOT_SHOWN)
        return page.encode()

    def team_of(self, path: str) -> str | None:
        """Return the team whose private page an address is; None where there is none."""
        token = path.strip("/").removesuffix(".html")
        return next((team for team in self._teams() if page_token(self._key, team) == token), None)

    def take(self, team: str, archive: IO[bytes], came: float) -> str:
        """Hand in a team's zip; return its version.

        Args:
            team: the name of its folder or zip.
            archive: the zip, from where it is to be read.
            came: when its last byte came, in seconds of Unix time.

        Raises:
            HandInError: when it is refused.
            OSError: when it cannot be kept.
        """
        if came > self._closes(team):
            raise HandInError(late_reason(came))
        with (
            blamed_on_hand_in(),
            tempfile.TemporaryDirectory(prefix=".upload-", dir=self._course) as place,
        ):
            draft = Path(place, f"draft{ZIP}")
            with draft.open("wb") as kept:
                shutil.copyfileobj(archive, kept)
            files = read_hand_in(draft)
            manifest_of(files)
            version, teams = digest_of(files), self._course / TEAMS
            with self._turn:
                Shelf(teams / STATE / team).keep_arrival(version, came)
                waiting = self._waiting(team)
                if waiting or not self._is_looked_at(team):
                    self._keep_waiting(team, draft, waiting)
                else:
                    self._replace(teams / team, draft, files)
        return version

    def bring_in(self) -> bool:
        """Put the next waiting upload of each team in its place; return whether there was one."""
        found = False
        for team in self._teams():
            with self._turn:
                waiting = self._waiting(team)
                if waiting and self._is_looked_at(team):
                    self._bring_in(team, waiting[0])
                    found = True
        return found

    def _bring_in(self, team: str, upload: Path) -> None:
        """Put an upload that waits in its place; one that is interrupted is brought in again."""
        with tempfile.TemporaryDirectory(prefix=".upload-", dir=self._course) as place:
            draft = Path(place, f"draft{ZIP}")
            try:
                files = _copied(upload, draft)
            except HandInError as error:
                self._refuse(team, str(error))
            else:
                self._replace(self._course / TEAMS / team, draft, files)
        if upload.is_dir():
            shutil.rmtree(upload)
        else:
            upload.unlink(missing_ok=True)

    def _waiting(self, team: str) -> list[Path]:
        return sorted((self._course / TEAMS / STATE / team / WAITING).glob(f"{'[0-9]' * 6}{ZIP}"))

    def _keep_waiting(self, team: str, draft: Path, waiting: list[Path]) -> None:
        """Let an upload wait; it takes the place of the last one where too many do."""
        place = self._course / TEAMS / STATE / team / WAITING
        place.mkdir(parents=True, exist_ok=True)
        number = int(waiting[-1].stem) if waiting else 0
        number += len(waiting) < MOST_WAITING
        draft.replace(place / f"{number:06}{ZIP}")

    def _replace(self, place: Path, draft: Path, files: Files) -> None:
        if place.suffix.lower() == ZIP:
            draft.replace(place)
            return
        fresh = draft.with_name("fresh")
        write_files(files, fresh)
        if place.exists():
            place.rename(draft.with_name("old"))
        fresh.rename(place)


@contextmanager
def serving(uploads: CourseUploads, port: int) -> Iterator[int]:
    """Serve a course's pages, and take uploads, during the block; yield the port."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(_served(_CoursePages(uploads), port)) as opened,
    ):
        yield opened


@asynccontextmanager
async def _served(site: _CoursePages, port: int) -> AsyncIterator[int]:
    limits = Limits(http_connections=MOST_OPEN)
    gate = HttpGate(LiveConfig(Config(limits=limits)))
    listening = await listening_socket(HOST, port, "--serve")
    opened: int = listening.getsockname()[1]
    async with serve_on(listening, site.application, Ingress(gate, request_s=UPLOAD_S)):
        yield opened


class _CoursePages:
    """What the addresses of a course answer; nothing is logged, since they are secrets."""

    def __init__(self, uploads: CourseUploads) -> None:
        self._uploads = uploads
        self._coming = defaultdict[str, deque[asyncio.Timeout]](deque)
        self._room = asyncio.Semaphore(AT_A_TIME)
        self.application = Starlette(
            routes=[
                Route("/{page:path}", self._show, methods=["GET"]),
                Route("/{page:path}", self._hand_in, methods=["POST"]),
            ],
            exception_handlers={
                HTTPException: _refused,
                ClientDisconnect: lambda _request, _error: Response(),  # the peer has gone
                OSError: _out_of_reach,
            },
        )

    def _show(self, request: Request) -> Response:
        page = self._uploads.page(request.url.path)
        if page is None:
            raise NO_PAGE
        return HTMLResponse(page, headers=HEADERS)

    async def _hand_in(self, request: Request) -> Response:
        team = await asyncio.to_thread(self._uploads.team_of, request.url.path)
        if team is None:
            raise NO_PAGE
        if "Content-Length" not in request.headers:
            said = "How long the zip is must be said first (Content-Length)."
            raise HTTPException(HTTPStatus.LENGTH_REQUIRED, said)
        if not _is_short(request):
            said = f"A zip of at most {MOST_BYTES >> 20} MiB is wanted."
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, said)
        try:
            version = await self._receive(team, request)
        except TimeoutError:
            said = f"{MOST_OF_A_TEAM} later uploads of your team began before this one was whole."
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, said) from None
        except HandInError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
        said = f"Version {version} is handed in. Your page shows it once it is marked."
        return _answer(HTTPStatus.OK, Paragraph(said))

    async def _receive(self, team: str, request: Request) -> str:
        """Take an upload once it is whole; return its version."""
        async with AsyncExitStack() as stack:
            with self._among_those_of(team) as patience:
                async with patience:
                    archive = await stack.enter_async_context(_archive_in(request))
                    came = time.time()
            await stack.enter_async_context(self._room)
            return await asyncio.to_thread(self._uploads.take, team, archive, came)

    @contextmanager
    def _among_those_of(self, team: str) -> Iterator[asyncio.Timeout]:
        """Count an upload that comes, in the place of the team's oldest where too many do."""
        patience, coming = asyncio.timeout(None), self._coming[team]
        if len(coming) >= MOST_OF_A_TEAM:
            coming.popleft().reschedule(0)
        coming.append(patience)
        try:
            yield patience
        finally:
            with suppress(ValueError):
                coming.remove(patience)


@asynccontextmanager
async def _archive_in(request: Request) -> AsyncIterator[IO[bytes]]:
    """Yield the file of a form, or the body itself where it is no form."""
    if not request.headers.get("Content-Type", "").lower().startswith("multipart/form-data"):
        with tempfile.TemporaryFile() as spool:
            async for piece in request.stream():
                spool.write(piece)
            spool.seek(0)
            yield spool
        return
    async with request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=SLACK) as form:
        found = next((each for each in form.values() if isinstance(each, UploadFile)), None)
        if found is None or not found.size:
            raise HandInError("the form has no file")
        yield found.file


def _is_short(request: Request) -> bool:
    """Return whether a request says how long its body is, and that is not too much."""
    try:
        return whole_number(request.headers.get("Content-Length", "")) <= MOST_BYTES + SLACK
    except ValueError:
        return False


def _answer(status: HTTPStatus, *blocks: Block) -> Response:
    page = as_page("Course", [Heading("Course", level=1), *blocks])
    return HTMLResponse(page, status, HEADERS)


def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101  # as the application says
    status = HTTPStatus(error.status_code)
    block = Quote if status == HTTPStatus.BAD_REQUEST else Paragraph
    return _answer(status, block(error.detail))


def _out_of_reach(request: Request, error: Exception) -> Response:
    """Return a sentence where the disk is full, or the folder of the teams is away."""
    what = "an upload cannot be kept" if request.method == "POST" else "a page cannot be shown"
    print(f"{what}: {reason_of(error)}", file=sys.stderr)  # noqa: T201  # for the lecturer
    said = "The course cannot be reached now. Try again later, or ask your lecturer."
    return _answer(HTTPStatus.INTERNAL_SERVER_ERROR, Paragraph(said))


def _copied(upload: Path, draft: Path) -> Files:
    try:
        draft.write_bytes(upload.read_bytes())
        with blamed_on_hand_in():
            return read_hand_in(draft)
    except HandInError as error:
        raise HandInError(f"an upload changed while it waited, and is dropped: {error}") from None
    except OSError as error:
        why = reason_of(error)
        raise HandInError(f"an upload that waited cannot be read, and is dropped: {why}") from None
