"""What was handed in: read with suspicion, and refused before anything is written."""

import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from mancala.scripts.hosting import handin
from mancala.scripts.hosting.handin import (
    HandedFile,
    HandInError,
    HostFaultError,
    blamed_on_hand_in,
    blamed_on_host,
    digest_of,
    read_hand_in,
    read_tar,
    write_files,
)


def _zip(path: Path, *names: str, mode: int = 0, data: bytes = b"x") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.filename = name  # as it is, which the constructor may change
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def _folder(path: Path) -> Path:
    (path / "src").mkdir(parents=True)
    (path / "src" / "bot.py").write_text("print()")
    (path / "run").write_text("#!/bin/sh")
    (path / "run").chmod(0o700)
    return path


def test_a_folder_and_its_zip_are_the_same_version(tmp_path: Path) -> None:
    """Also where the zip wraps all in one folder, as file managers do, and where it is unpacked."""
    folder = _folder(tmp_path / "ada")
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        for path in (folder, *folder.rglob("*")):
            archive.write(path, path.relative_to(tmp_path))
    files = read_hand_in(folder)
    assert files["run"] == HandedFile(b"#!/bin/sh", is_executable=True)
    assert digest_of(files) == digest_of(read_hand_in(tmp_path / "ada.zip"))
    with zipfile.ZipFile(tmp_path / "ada.zip") as archive:
        for name in archive.namelist():
            archive.extract(name, tmp_path / "bob")
    (tmp_path / "bob" / "ada" / "run").chmod(0o700)
    assert digest_of(files) == digest_of(read_hand_in(tmp_path / "bob"))


def test_what_macos_adds_to_a_zip_does_not_count(tmp_path: Path) -> None:
    """Else no zip of the Finder would be one folder and nothing else."""
    path = _zip(tmp_path / "a.zip", "my/bot.toml", "my/.DS_Store", "__MACOSX/my/._bot.toml")
    assert list(read_hand_in(path)) == ["bot.toml"]


def test_a_version_changes_with_each_file(tmp_path: Path) -> None:
    """A changed byte, name or right to run makes another one."""
    files = dict(read_hand_in(_folder(tmp_path / "ada")))
    others = [
        {**files, "run": HandedFile(b"#!/bin/s", is_executable=True)},
        {**files, "run": HandedFile(b"#!/bin/sh", is_executable=False)},
        {**files, "more": HandedFile(b"", is_executable=False)},
    ]
    assert len({digest_of(each) for each in (files, *others)}) == 4


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("../bot.py",), "leads out of the folder"),
        (("a/../../bot.py",), "leads out of the folder"),
        (("/etc/cron.d/bot",), "leads out of the folder"),
        (("a\\..\\bot.py",), "leads out of the folder"),
        (("C:bot.py",), "leads out of the folder"),
        (("bot\x1b[2J.py",), "cannot be a file's path"),
        (("x" * 300,), "cannot be a file's path"),
        (("a", "./a"), "a is in it twice"),
        (("a", "a/b"), "as a file and as a"),
    ],
)
def test_names_that_cannot_be_written_are_refused(
    names: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    """Paths that lead out, and two things of one path; nothing of the archive is used."""
    with pytest.raises(HandInError, match=reason):
        read_hand_in(_zip(tmp_path / "ada.zip", "bot.toml", *names))


def test_a_zip_of_windows_becomes_what_linux_runs(tmp_path: Path) -> None:
    """Its folders are cut by backslashes, its scripts end lines by two bytes, none may be run."""
    with zipfile.ZipFile(tmp_path / "ada.zip", "w") as archive:
        for name, data in (
            ("my\\src\\bot.py", b"a\r\n"),
            ("my\\run.sh", b"#!/bin/sh\r\n"),
            ("my\\Makefile", b"bot:\r\n\tcc bot.c\r\n"),
        ):
            info = zipfile.ZipInfo(name)
            info.filename, info.create_system = name, handin.WINDOWS
            archive.writestr(info, data)
    assert read_hand_in(tmp_path / "ada.zip") == {
        "src/bot.py": HandedFile(b"a\r\n", is_executable=False),
        "run.sh": HandedFile(b"#!/bin/sh\n", is_executable=True),
        "Makefile": HandedFile(b"bot:\n\tcc bot.c\n", is_executable=False),
    }


def test_names_of_macos_are_composed(tmp_path: Path) -> None:
    """Its archives write an umlaut as two letters, which no program asks for."""
    files = read_hand_in(_zip(tmp_path / "ada.zip", "bot.toml", "u\u0308ber.py"))
    assert list(files) == ["bot.toml", "\u00fcber.py"]


@pytest.mark.parametrize("error", [RecursionError(), OSError(36, "File name too long")])
def test_content_is_blamed_for_what_it_raises(error: Exception) -> None:
    """The sentence says what was raised."""
    said = getattr(error, "strerror", None) or f"{type(error).__name__}"
    with pytest.raises(HandInError, match=f"it cannot be used: {said}"), blamed_on_hand_in():
        raise error


def test_a_full_disk_is_no_hand_ins_fault() -> None:
    """What is wrong with the machine, the lecturer has to know."""
    with pytest.raises(OSError, match="No space left"), blamed_on_hand_in():
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("error", [AttributeError("limits"), OSError(28, "No space left")])
def test_the_host_is_blamed_for_what_judging_raises(error: Exception) -> None:
    """Only what says something of the hand-in is passed on."""
    said = f"a fault of the host.*{error.args[-1]}"
    with pytest.raises(HostFaultError, match=said), blamed_on_host(HandInError):
        raise error
    with pytest.raises(HandInError, match="no zip"), blamed_on_host(HandInError):
        raise HandInError("no zip")


def test_links_in_an_archive_are_refused(tmp_path: Path) -> None:
    """A link could show a file of the host."""
    file = _zip(tmp_path / "ada.zip", "secrets", mode=stat.S_IFLNK | 0o777, data=b"/etc/shadow")
    with pytest.raises(HandInError, match="'secrets' is a link or a special file"):
        read_hand_in(file)


@pytest.mark.parametrize(
    "make",
    [lambda path: path.symlink_to("/etc"), lambda path: path.symlink_to("/etc/passwd"), os.mkfifo],
)
def test_links_and_pipes_in_a_folder_are_refused(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    """A link to a folder, one to a file, and a pipe that would never end."""
    folder = _folder(tmp_path / "ada")
    make(folder / "odd")
    with pytest.raises(HandInError, match="'odd' is a link"):
        read_hand_in(folder)


def test_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of some kilobytes that unpacks to more than may be handed in."""
    monkeypatch.setattr(handin, "MOST_BYTES", 1 << 20)
    file = _zip(tmp_path / "ada.zip", "a", "b", data=bytes(700_000))
    assert file.stat().st_size < 10_000
    with pytest.raises(HandInError, match="more than 1 MiB in all, at b"):
        read_hand_in(file)


def test_sizes_that_an_archive_states_are_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that claims to be small is no good zip, or too large."""
    monkeypatch.setattr(handin, "MOST_BYTES", 1 << 20)
    file = _zip(tmp_path / "ada.zip", "a", data=bytes(3 << 20))
    size = (3 << 20).to_bytes(4, "little")
    file.write_bytes(file.read_bytes().replace(size, (9).to_bytes(4, "little")))
    with pytest.raises(HandInError):
        read_hand_in(file)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty files cost room as well."""
    monkeypatch.setattr(handin, "MOST_FILES", 3)
    with pytest.raises(HandInError, match="more than 3 files"):
        read_hand_in(_zip(tmp_path / "ada.zip", *map(str, range(4))))


def test_a_long_list_of_names_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders cost no file, and zipfile keeps a kilobyte of each."""
    monkeypatch.setattr(handin, "MOST_FILES", 3)
    file = _zip(tmp_path / "ada.zip", *(f"{number}/" for number in range(13)))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(HandInError, match="more than 3 files"):
        read_hand_in(file)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_is_stored_or_deflated(method: int, tmp_path: Path) -> None:
    """Half a kilobyte of bzip2 became a gigabyte in memory before its size was looked at."""
    with zipfile.ZipFile(tmp_path / "ada.zip", "w", method) as archive:
        archive.writestr("bot.py", bytes(1 << 20))
    with pytest.raises(HandInError, match=r"'bot\.py' is neither stored nor deflated"):
        read_hand_in(tmp_path / "ada.zip")


def test_what_is_no_zip_is_refused(tmp_path: Path) -> None:
    """The reason is zipfile's; so it is for one of which bytes are lost or others."""
    (tmp_path / "ada.zip").write_bytes(b"hello")
    with pytest.raises(HandInError, match="it is no good zip"):
        read_hand_in(tmp_path / "ada.zip")
    good = _zip(tmp_path / "ada.zip", "é", "b").read_bytes()
    for broken in (
        good[20:],
        good.replace(good[-12:-6], b"\xff" * 6),
        good.replace("é".encode(), b"\xff\xff"),
    ):
        (tmp_path / "ada.zip").write_bytes(broken)
        with pytest.raises(HandInError, match="it is no good zip"):
            read_hand_in(tmp_path / "ada.zip")


def test_a_build_may_not_leave_links(tmp_path: Path) -> None:
    """Its archive comes from the sandbox, so it is read with the same suspicion."""
    with tarfile.open(tmp_path / "built.tar", "w") as archive:
        link = tarfile.TarInfo("./bot")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(HandInError, match=r"the build left '\./bot', a link"):
        read_tar(tmp_path / "built.tar")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"mode": "w", "pax_headers": {"comment": "1" * 5000}}, "a name of more than 4 kB"),
        ({"mode": "w:gz"}, "what the build left is no archive"),
    ],
    ids=["long header", "compressed"],
)
def test_an_archive_of_a_build_that_would_cost_much_is_refused(
    tmp_path: Path, how: dict[str, Any], why: str
) -> None:
    """Patterns of tarfile took quadratic time for a long header; what is packed has any size."""
    with tarfile.open(tmp_path / "built.tar", **how) as archive:
        archive.addfile(tarfile.TarInfo("./bot"))
    with pytest.raises(HandInError, match=why):
        read_tar(tmp_path / "built.tar")


def test_files_are_written_for_any_user_to_read(tmp_path: Path) -> None:
    """The sandbox runs as another user under root; what may be run stays so."""
    with tarfile.open(tmp_path / "built.tar", "w") as archive:
        bot = tarfile.TarInfo("./deep/bot")
        bot.size, bot.mode = 3, 0o700
        archive.addfile(bot, BytesIO(b"ELF"))
    write_files(read_tar(tmp_path / "built.tar"), tmp_path / "out")
    written = tmp_path / "out" / "deep" / "bot"
    assert (written.read_bytes(), stat.S_IMODE(written.stat().st_mode)) == (b"ELF", 0o755)
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o755
