"""A course's pages over HTTP, and hand-ins by upload on a team's private page.

An upload is a zip. It is read with the suspicion of every hand-in before it is kept: what is too
large, leads out of the archive, or has no usable ``bot.toml`` is refused with the reason, and
nothing of it stays. What is taken replaces what the team handed in before; `HostedFolder` then
builds and checks it in the sandbox, as it does with each change of the folder. While that has not
been looked at, the upload waits: a good one must not be lost to a broken one that follows it in the
same minute.

An upload is received into a file of no name, and only a whole one gets one of the few places for
reading. So one that comes slowly, or never ends, keeps no other team waiting. Where too many
connections are open, the oldest yields that has not shown a team's token; of those that have, the
oldest of that team. A form is cut at its boundaries, in linear time: the parser
of ``email`` looks at each line for each part that is open.

An upload came when its last byte did, however long it then waited to be read. One that came too
late is refused on the page, and what was handed in before stays.

The server is for the loopback; a proxy before it speaks TLS.
"""

from __future__ import annotations

import re
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any, Final

from mancala.protocol.text import whole_number

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
    write_files,
)
from ..hosting.shelf import STATE, Shelf
from .blocks import Block, Heading, Paragraph, Quote, as_page
from .pseudonyms import page_key, page_token
from .report import PUBLIC
from .settings import TEAMS

HOST: Final = "127.0.0.1"
PAGE: Final = re.compile(r"/(?:(index)|([0-9a-f]{32}))(?:\.html)?")
SLACK: Final = 1 << 16
"""Bytes of a form beside its file."""
BOUNDARY: Final = re.compile(
    r"""multipart/form-data(?:;[^;]{0,80})*?;\s*boundary=(?:"([^"]{1,70})"|([^\s";]{1,70}))""",
    re.IGNORECASE,
)
MOST_PARTS: Final = 16
"""Parts of a form that are looked at."""
AT_A_TIME: Final = 4
"""Uploads that are read at a time."""
MOST_OPEN: Final = 64
"""Connections that have shown no token."""
MOST_OF_A_TEAM: Final = 8
"""Uploads of one team that come at a time."""
WAITING: Final = "waiting"
MOST_WAITING: Final = 3
"""Uploads of a team that wait until the one before was looked at."""
PIECE: Final = 1 << 16
SILENT_S: Final = 30.0
POLL_S: Final = 0.05
"""How long after its end the server still listens, at most."""


class CourseUploads:
    """What teams upload, put where it is handed in.

    Args:
        course: the course's folder.
        teams: returns the names of all teams: those of their folders and zips.
        closes: returns until when a team's hand-in may come, in seconds of Unix time.
        is_looked_at: returns whether what a team handed in last may be replaced.
        refuse: receives a team and why an upload of it that waited is refused.
    """

    def __init__(
        self,
        course: Path,
        teams: Callable[[], list[str]],
        closes: Callable[[str], float],
        is_looked_at: Callable[[str], bool],
        refuse: Callable[[str, str], None],
    ) -> None:
        self._course = course
        self._teams = teams
        self._closes = closes
        self._is_looked_at = is_looked_at
        self._refuse = refuse
        self._key = page_key(course)
        self._turn = threading.Lock()

    def page(self, path: str) -> bytes | None:
        """Return the page of an address; None where there is none."""
        found = PAGE.fullmatch("/index" if path == "/" else path)
        file = self._course / PUBLIC / f"{found[1] or found[2]}.html" if found else None
        return file.read_bytes() if file is not None and file.exists() else None

    def team_of(self, path: str) -> str | None:
        """Return the team whose private page an address is; None where there is none."""
        token = path.strip("/").removesuffix(".html")
        return next((team for team in self._teams() if page_token(self._key, team) == token), None)

    def spool(self) -> IO[bytes]:
        """Return a file of no name for what comes of an upload; it is gone when it is closed."""
        return tempfile.TemporaryFile(dir=self._course)

    def take(self, team: str, archive: bytes, came: float) -> str:
        """Hand in a team's zip; return its version.

        Args:
            team: the name of its folder or zip.
            archive: the zip.
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
            draft.write_bytes(archive)
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
        """Put the next upload of each team that waits in its place; return whether there was one.

        One that was changed or became unreadable while it waited is refused.

        Raises:
            OSError: when one cannot be put in its place.
        """
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
        """Return the uploads of a team that wait, in the order in which they were taken."""
        return sorted((self._course / TEAMS / STATE / team / WAITING).glob(f"{'[0-9]' * 6}{ZIP}"))

    def _keep_waiting(self, team: str, draft: Path, waiting: list[Path]) -> None:
        """Let an upload wait; it takes the place of the last one where too many do."""
        place = self._course / TEAMS / STATE / team / WAITING
        place.mkdir(parents=True, exist_ok=True)
        number = int(waiting[-1].stem) if waiting else 0
        number += len(waiting) < MOST_WAITING
        draft.replace(place / f"{number:06}{ZIP}")

    def _replace(self, place: Path, draft: Path, files: Files) -> None:
        """Put an upload in the place of what was handed in before."""
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
    """Serve a course's pages, and take uploads, during the block; yield the port.

    Raises:
        OSError: when the port is taken.
    """
    handler = type("CourseHandler", (_Handler,), {"uploads": uploads})
    with _YieldingServer((HOST, port), handler) as server:
        serve = partial(server.serve_forever, POLL_S)
        thread = threading.Thread(target=serve, name="course pages")
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class _YieldingServer(ThreadingHTTPServer):
    """A server whose oldest connection without a token ends when too many are open."""

    request_queue_size = MOST_OPEN

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._open: dict[socket.socket, None] = {}
        self._uploading: dict[str, dict[socket.socket, None]] = {}
        self._counting = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  # as socketserver has it
        """Serve a connection, in the place of the oldest where all are taken."""
        with self._counting:
            _add(request, self._open, MOST_OPEN)
        super().process_request(request, client_address)

    def hold(self, request: socket.socket, team: str) -> None:
        """Keep a connection that has shown a team's token from yielding to those without."""
        with self._counting:
            self._open.pop(request, None)
            _add(request, self._uploading.setdefault(team, {}), MOST_OF_A_TEAM)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401  # as socketserver has it
        """Close a connection, whose place is free."""
        with self._counting:
            for held in (self._open, *self._uploading.values()):
                held.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401  # as socketserver has it
        """Print a fault, but not that a peer has gone."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _add(request: socket.socket, held: dict[socket.socket, None], most: int) -> None:
    """Add a connection, in the place of the oldest where there are too many."""
    if len(held) >= most:
        oldest = next(iter(held))
        del held[oldest]
        with suppress(OSError):
            oldest.shutdown(socket.SHUT_RDWR)
    held[request] = None


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    uploads: CourseUploads
    server: _YieldingServer
    timeout = SILENT_S
    _room = threading.BoundedSemaphore(AT_A_TIME)

    def do_GET(self) -> None:
        """Send a page."""
        page = self.uploads.page(self.path)
        if page is None:
            self._answer(HTTPStatus.NOT_FOUND, Paragraph("There is no such page."))
        else:
            self._send(HTTPStatus.OK, page)

    def do_POST(self) -> None:
        """Take an upload."""
        team = self.uploads.team_of(self.path)
        size = self._announced_size()
        if team is None:
            self._answer(HTTPStatus.NOT_FOUND, Paragraph("There is no such page."))
        elif size is None or size > MOST_BYTES + SLACK:
            said = f"A zip of at most {MOST_BYTES >> 20} MiB is wanted."
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, Paragraph(said))
        else:
            self.server.hold(self.connection, team)
            with self.uploads.spool() as spool:
                self._receive(size, spool)
                came = time.time()
                with self._room:
                    spool.seek(0)
                    self._take(team, spool.read(), came)

    def _receive(self, size: int, spool: IO[bytes]) -> None:
        """Write what comes of a body to a file."""
        while size > 0 and (piece := self.rfile.read(min(PIECE, size))):
            spool.write(piece)
            size -= len(piece)

    def _announced_size(self) -> int | None:
        """Return the bytes of the body, as its header says; None where it says nothing usable."""
        try:
            return whole_number(self.headers.get("Content-Length", ""))
        except ValueError:
            return None

    def _take(self, team: str, body: bytes, came: float) -> None:
        try:
            archive = _file_in(self.headers.get("Content-Type", ""), body)
            version = self.uploads.take(team, archive, came)
        except HandInError as error:
            self._answer(HTTPStatus.BAD_REQUEST, Paragraph("It is refused:"), Quote(str(error)))
        except OSError as error:
            print(f"{team}: an upload cannot be kept: {error}", file=sys.stderr)  # noqa: T201  # for the lecturer
            said = "It cannot be kept now. Hand it in again later, or ask your lecturer."
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, Paragraph(said))
        else:
            said = f"Version {version} is handed in. Your page says within a minute how it does."
            self._answer(HTTPStatus.OK, Paragraph(said))

    def _answer(self, status: HTTPStatus, *blocks: Block) -> None:
        page = as_page("Course", [Heading("Course", level=1), *blocks])
        self._send(status, page.encode())

    def _send(self, status: HTTPStatus, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Log nothing: addresses of private pages are secrets."""


def _copied(upload: Path, draft: Path) -> Files:
    """Copy an upload that waited; return its files.

    Raises:
        HandInError: when it was changed, or cannot be read.
    """
    try:
        draft.write_bytes(upload.read_bytes())
        with blamed_on_hand_in():
            return read_hand_in(draft)
    except HandInError as error:
        raise HandInError(f"an upload changed while it waited, and is dropped: {error}") from None
    except OSError as error:
        why = error.strerror or error
        raise HandInError(f"an upload that waited cannot be read, and is dropped: {why}") from None


def _file_in(content_type: str, body: bytes) -> bytes:
    """Return the file of a form, or the body itself where it is no form.

    Raises:
        HandInError: when the form has no file.
    """
    if not content_type.lower().startswith("multipart/form-data"):
        return body
    found = BOUNDARY.match(content_type)
    if found is not None:
        delimiter = f"\r\n--{found[1] or found[2]}".encode("latin-1", "replace")
        for part in (b"\r\n" + body).split(delimiter, MOST_PARTS + 1)[1:-1]:
            head, _, content = part.partition(b"\r\n\r\n")
            if b"filename" in head.lower() and content:
                return content
    raise HandInError("the form has no file")
