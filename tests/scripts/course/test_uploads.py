"""A course's pages over HTTP, and hand-ins by upload."""

import io
import socket
import stat
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from itertools import repeat
from math import inf
from pathlib import Path
from threading import Semaphore
from types import MappingProxyType, SimpleNamespace
from typing import IO
from unittest.mock import Mock

import pytest

from mancala.scripts.course import uploads
from mancala.scripts.course.pseudonyms import page_key, page_token
from mancala.scripts.course.uploads import CourseUploads, serving
from mancala.scripts.hosting.handin import digest_of, read_hand_in
from mancala.scripts.hosting.shelf import STATE, Shelf
from tests.patience import PATIENCE_S

BOUNDARY = "frontier"
NONE: Mapping[str, str] = MappingProxyType({})
MANIFEST = 'name = "adas"\ncommand = "python3 bot.py"\nprotocol = "cmd"\n'


class _Site:
    """A course of two teams, at an address."""

    def __init__(self, course: Path) -> None:
        self.course = course
        self.teams = ["ada", "bob.zip"]
        self.closes = dict[str, float]()
        self.not_looked_at = set[str]()
        self.not_reported = set[str]()
        self.refused: list[tuple[str, str]] = []
        self.uploads = CourseUploads(
            course,
            lambda: self.teams,
            lambda team: self.closes.get(team, inf),
            lambda team: team not in self.not_looked_at,
            lambda team: team not in self.not_reported,
            lambda team, why: self.refused.append((team, why)),
        )
        self.port = 0
        self.shown = Semaphore(0)
        team_of = self.uploads.team_of

        def showing(path: str) -> str | None:
            self.shown.release()
            return team_of(path)

        self.uploads.team_of = showing  # type: ignore[method-assign]

    def page_of(self, team: str) -> str:
        return f"/{page_token(page_key(self.course), team)}.html"

    def answer(
        self, path: str, body: bytes | None = None, headers: Mapping[str, str] = NONE
    ) -> tuple[int, str]:
        with closing(HTTPConnection("127.0.0.1", self.port, PATIENCE_S)) as connection:
            connection.request("GET" if body is None else "POST", path, body, dict(headers))
            found = connection.getresponse()
            return found.status, found.read().decode()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE_S)

    def begin(self, team: str, archive: bytes = b"P" * 1000) -> socket.socket:
        """Announce an upload, and send the first byte of it once the server knows its team."""
        connection = self.connect()
        connection.sendall(f"POST {self.page_of(team)} HTTP/1.0\r\n".encode())
        connection.sendall(f"Content-Length: {len(archive)}\r\n\r\n".encode())
        self.shown.acquire(timeout=PATIENCE_S)
        connection.sendall(archive[:1])
        return connection

    def upload(self, team: str, archive: bytes) -> tuple[int, str]:
        """Send a zip as a browser's form does."""
        head = 'Content-Disposition: form-data; name="program"; filename="a.zip"\r\n'
        kind = "Content-Type: application/zip\r\n\r\n"
        body = (
            f"--{BOUNDARY}\r\n{head}{kind}".encode() + archive + f"\r\n--{BOUNDARY}--\r\n".encode()
        )
        form = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        return self.answer(self.page_of(team), body, form)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "teams" / "ada").mkdir(parents=True)
    (tmp_path / "teams" / "bob.zip").write_bytes(b"")
    (tmp_path / "public").mkdir()
    return tmp_path


@contextmanager
def _served(course: Path) -> Iterator[_Site]:
    found = _Site(course)
    with serving(found.uploads, 0) as found.port:
        (course / "public" / "index.html").write_text("all teams")
        (course / "public" / found.page_of("ada").strip("/")).write_text("ada's page")
        yield found


@pytest.fixture
def site(course: Path) -> Iterator[_Site]:
    with _served(course) as found:
        yield found


def _zip(files: dict[str, bytes], links: tuple[str, ...] = ()) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        for name in links:
            link = zipfile.ZipInfo(name)
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, "/etc/passwd")
    return data.getvalue()


GOOD = {"bot.toml": MANIFEST.encode(), "bot.py": bytes(range(256)) * 9 + b"\r\n\r\n--x\n"}


def test_only_the_pages_are_served(site: _Site) -> None:
    """Neither another file nor a page that does not exist is, whatever the address."""
    (site.course / "lecturer.html").write_text("names")
    assert site.answer("/") == (200, "all teams")
    assert site.answer(site.page_of("ada")) == (200, "ada's page")
    for path in ("/lecturer.html", "/../lecturer.html", "/%2e%2e/lecturer.html", f"/{'0' * 32}"):
        assert site.answer(path)[0] == 404


def test_a_page_says_that_it_does_not_show_the_newest_hand_in(site: _Site) -> None:
    """In a class of thirty it named the version before for half an hour, without a word."""
    page = site.course / "public" / site.page_of("ada").strip("/")
    page.write_text("<h1>ada</h1>\nrefused")
    site.not_reported.add("ada")
    said = site.answer(site.page_of("ada"))[1]
    assert said == f"<h1>ada</h1>\n<p>{uploads.NOT_SHOWN}</p>\nrefused"
    site.not_reported.clear()
    assert site.answer(site.page_of("ada"))[1] == page.read_text()


def test_a_page_has_the_form_whatever_wrote_it(site: _Site) -> None:
    """Pages from before `--serve` had none until every new hand-in was measured."""
    (site.course / "public" / site.page_of("ada").strip("/")).write_text("<body>\nada\n</body>")
    assert '<input type="file"' in site.answer(site.page_of("ada"))[1]


def test_a_page_outlives_what_is_handed_in(site: _Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A share with teams that was away for a moment took even the public page with it."""

    def away(_: str) -> str | None:
        raise OSError(116, "Stale file handle")

    monkeypatch.setattr(site.uploads, "team_of", away)
    assert site.answer("/") == (200, "all teams")
    assert site.answer(site.page_of("ada")) == (200, "ada's page")


def test_an_upload_takes_the_place_of_what_was_handed_in(site: _Site) -> None:
    """A team's folder gets the files, a team's zip becomes the upload; nothing else is left."""
    before = site.course / "teams" / "ada" / "old.py"
    before.write_text("old")
    assert site.upload("ada", _zip(GOOD))[0] == 200
    status, page = site.answer(site.page_of("bob.zip"), _zip(GOOD))
    teams = site.course / "teams"
    assert (status, "is handed in" in page) == (200, True)
    assert {file.name: file.read_bytes() for file in (teams / "ada").iterdir()} == GOOD
    assert zipfile.ZipFile(teams / "bob.zip").namelist() == list(GOOD)
    assert sorted(place.name for place in teams.glob("[!.]*")) == ["ada", "bob.zip"]
    assert not list(site.course.glob(".upload-*"))


def test_each_of_two_quick_uploads_is_looked_at(site: _Site) -> None:
    """A good one was lost to a broken one of the same minute; of many, the last ones wait."""
    texts = [f"# {number}\n" for number in range(6)]
    in_place = site.course / "teams" / "ada" / "bot.py"
    found = []
    for text in texts:
        assert site.upload("ada", _zip({**GOOD, "bot.py": text.encode()}))[0] == 200
        site.not_looked_at.add("ada")
        assert not site.uploads.bring_in()
    site.not_looked_at.clear()
    found.append(in_place.read_text())
    while site.uploads.bring_in():
        found.append(in_place.read_text())
    assert found == [texts[0], texts[1], texts[2], texts[5]]


def test_an_upload_that_changed_while_it_waited_is_refused(site: _Site) -> None:
    """It ended the watch; now what was handed in before stays, and the next upload comes in."""
    in_place = site.course / "teams" / "ada" / "bot.py"
    waiting = site.course / "teams" / STATE / "ada" / "waiting"
    assert site.upload("ada", _zip({**GOOD, "bot.py": b"# before"}))[0] == 200
    site.not_looked_at.add("ada")
    for text in (b"# one", b"# two", b"# three"):
        assert site.upload("ada", _zip({**GOOD, "bot.py": text}))[0] == 200
    site.not_looked_at.clear()
    truncated, folder, _ = sorted(waiting.iterdir())
    truncated.write_bytes(truncated.read_bytes()[:90])
    folder.unlink()
    folder.mkdir()
    for _ in range(2):
        assert site.uploads.bring_in()
        assert in_place.read_text() == "# before"
    assert site.uploads.bring_in()
    assert in_place.read_text() == "# three"
    assert not site.uploads.bring_in()
    assert [(team, why.partition(" and is dropped: ")[0]) for team, why in site.refused] == [
        ("ada", "an upload changed while it waited,"),
        ("ada", "an upload that waited cannot be read,"),
    ]


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("write_files", OSError(28, "No space left on device")),
        ("team_of", OSError(116, "Stale file handle")),
    ],
    ids=["the disk is full", "the teams are away"],
)
def test_an_upload_that_cannot_be_kept_gets_an_answer(
    site: _Site,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    step: str,
    error: OSError,
) -> None:
    """The student reads it on the page, the lecturer in the terminal; it was a bare error once."""
    place = uploads if step == "write_files" else site.uploads
    monkeypatch.setattr(place, step, Mock(side_effect=error))
    status, page = site.upload("ada", _zip(GOOD))
    assert (status, "ask your lecturer" in page) == (500, True)
    assert f"an upload cannot be kept: {error.strerror}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        (b"no zip", "it is no good zip"),
        (_zip({"bot.py": b""}), "there is no bot.toml"),
        (_zip({"bot.toml": b"name = 1"}), "name: expected a text in quotes, got a whole number"),
        (_zip({"../evil.py": b"", **GOOD}), "leads out of the folder"),
        (_zip(GOOD, links=("secrets",)), "is a link or a special file"),
        (_zip({"zeros": b"\0" * (65 << 20), **GOOD}), "more than 64 MiB in all"),
        (b"", "the form has no file"),
    ],
)
def test_a_bad_upload_is_refused_with_its_reason(archive: bytes, reason: str, site: _Site) -> None:
    """What was handed in before stays, and nothing of the upload does."""
    before = site.course / "teams" / "ada" / "bot.py"
    before.write_text("good")
    status, page = site.upload("ada", archive)
    assert status == 400
    assert reason in page
    assert before.read_text() == "good"
    assert not list(site.course.glob(".upload-*"))


def test_a_token_that_is_none_hands_in_nothing(site: _Site) -> None:
    """Nor does a body that is too large, which is not even read."""
    assert site.answer(f"/{'0' * 32}.html", _zip(GOOD))[0] == 404
    too_long = {"Content-Length": str(1 << 40)}
    assert site.answer(site.page_of("ada"), b"x", too_long)[0] == 413
    assert not list((site.course / "teams" / "ada").iterdir())


def test_an_upload_of_unknown_length_is_asked_for_it(site: _Site) -> None:
    """As proxies pass on what is sent in chunks; it was refused as one above 64 MiB."""
    with site.connect() as connection:
        chunked = "HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(f"POST {site.page_of('ada')} {chunked}".encode())
        assert b" 411 " in connection.recv(100)


def test_uploads_that_never_end_hold_no_place(site: _Site) -> None:
    """Four silent ones kept all other teams waiting for as long as they liked."""
    with ExitStack() as stack:
        for _ in range(2 * uploads.AT_A_TIME):
            stack.enter_context(site.begin("bob.zip"))
        assert site.upload("ada", _zip(GOOD))[0] == 200


def test_silent_connections_cut_no_upload_that_has_a_token(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty a second cut every upload of eight seconds; a team's own may yield."""
    monkeypatch.setattr(uploads, "MOST_OPEN", 4)
    monkeypatch.setattr(uploads, "MOST_OF_A_TEAM", 2)
    with ExitStack() as stack:
        site = stack.enter_context(_served(course))
        archive = _zip(GOOD)
        upload = stack.enter_context(site.begin("ada", archive))
        oldest, *_ = [stack.enter_context(site.connect()) for _ in range(9)]
        assert oldest.recv(1) == b""
        assert site.answer("/") == (200, "all teams")
        upload.sendall(archive[1:])
        assert b" 200 " in upload.recv(100)
        first, *_ = [stack.enter_context(site.begin("bob.zip")) for _ in range(3)]
        assert b" 408 " in first.recv(100)


def test_a_course_behind_a_proxy_has_all_connections(site: _Site) -> None:
    """They come from one address, this machine's, which has no limit of its own."""
    with ExitStack() as stack:
        silent = [stack.enter_context(site.connect()) for _ in range(2 * 64)]
        assert site.answer("/") == (200, "all teams")
        for connection in silent:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)


def test_a_whole_course_uploads_at_once(site: _Site) -> None:
    """None of sixty is lost, and each has the version that its page names."""
    site.teams[:] = [f"team-{number:02}" for number in range(60)]
    with ThreadPoolExecutor(len(site.teams)) as threads:
        found = list(threads.map(site.upload, site.teams, repeat(_zip(GOOD))))
    assert [status for status, _ in found] == [200] * 60
    for team, (_, page) in zip(site.teams, found, strict=True):
        folder = site.course / "teams" / team
        assert f"Version {digest_of(read_hand_in(folder))} is handed in" in page
    assert not list(site.course.glob(".upload-*"))


def test_an_upload_came_when_its_last_byte_did(
    site: _Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the deadline the queue before the reader made late what was there in time."""
    now = [1000.0]
    take = site.uploads.take

    def after_queueing(team: str, archive: IO[bytes], came: float) -> str:
        now[0] += 60
        return take(team, archive, came)

    monkeypatch.setattr(uploads, "time", SimpleNamespace(time=lambda: now[0]))
    site.uploads.take = after_queueing  # type: ignore[method-assign]
    site.closes["ada"] = 1000.0
    assert site.upload("ada", _zip(GOOD))[0] == 200
    teams = site.course / "teams"
    version = digest_of(read_hand_in(teams / "ada"))
    assert Shelf(teams / STATE / "ada").arrival(version) == 1000.0


def test_an_upload_after_the_deadline_leaves_the_one_before(
    site: _Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It replaced one that was in time and not looked at yet, and then was refused."""
    before = site.course / "teams" / "ada" / "bot.py"
    before.write_text("in time")
    monkeypatch.setattr(uploads, "time", SimpleNamespace(time=lambda: 1001.0))
    site.closes["ada"] = 1000.0
    status, page = site.upload("ada", _zip(GOOD))
    assert (status, "it came at 1970-01-01 00:16 UTC, too late" in page) == (400, True)
    assert before.read_text() == "in time"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("multipart/form-data; boundary=frontier", "is handed in"),
        ('Multipart/Form-Data; charset=utf-8; Boundary="frontier"', "is handed in"),
        ("multipart/form-data", "Missing boundary"),
        ("multipart/form-data; boundary=another", "Invalid multipart"),
    ],
)
def test_a_form_is_cut_at_its_boundary(kind: str, said: str, site: _Site) -> None:
    """Other fields are passed over; a form without a boundary has no file."""
    field = b'--frontier\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n'
    head = b'--frontier\r\nContent-Disposition: form-data; name="b"; filename="a.zip"\r\n\r\n'
    body = field + head + _zip(GOOD) + b"\r\n--frontier--\r\n"
    status, page = site.answer(site.page_of("ada"), body, {"Content-Type": kind})
    assert (status == 200) is (said == "is handed in")
    assert said in page


def test_a_form_is_not_read_part_by_part_without_end(site: _Site) -> None:
    """Its first sixteen fields are."""
    field = b'--frontier\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    form = {"Content-Type": "multipart/form-data; boundary=frontier"}
    status, page = site.answer(site.page_of("ada"), field * 10_000 + b"--frontier--\r\n", form)
    assert (status, "Too many fields" in page) == (400, True)
