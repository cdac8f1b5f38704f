"""What was handed in, a folder or a zip, read with suspicion before a byte of it is written.

Only plain files with plain paths count. Links, ``..``, absolute paths, special files, encrypted or
too large archives are refused with a reason. What an archive says of its sizes is not believed:
each file is unpacked in memory up to what is left of the limit. So a zip is stored or deflated:
Python unpacks a piece of the other methods whole, and some kilobytes of bzip2 hold terabytes. The
lists of names are bounded before they are read, since a reader keeps all of them.
"""

import errno
import hashlib
import lzma
import os
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

from ..sandbox.machine import NoSandboxError

MOST_BYTES: Final = 64 << 20
MOST_FILES: Final = 5000
LONGEST_PATH: Final = 200
METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
LISTED: Final = b"PK\1\2"
"""What each name in a zip's list begins with."""
LISTED_A_FILE: Final = 4
"""Names for each file that may be handed in: folders, and lists of archives inside of it."""
BLOCK: Final = 512
OCTAL: Final = frozenset(b"01234567")
SIZE: Final = slice(124, 136)
KIND: Final = slice(156, 157)
FILE_KINDS: Final = (tarfile.REGTYPE, tarfile.AREGTYPE)
LONGEST_HEADER: Final = 4096
"""The most bytes of a tar's entry that is no file; the patterns that read one took quadratic time
up to Python 3.11.9."""
MOST_BUILT: Final = 2 * MOST_BYTES
"""The most bytes of the archive that a build leaves."""
PIECE: Final = 1 << 16
ZIP: Final = ".zip"
CONVERTED: Final = ("Makefile", "makefile")
"""Files besides scripts whose lines may not end as on Windows."""
BROKEN: Final = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, RuntimeError, ValueError, struct.error),
)
"""What the readers of archives raise."""
PLAIN: Final = 0o644
EXECUTABLE: Final = 0o755
WINDOWS: Final = 0
"""What a zip that was made on Windows says of its system; it knows nothing of executable files."""
STARTED: Final = (b"#!", b"\x7fELF")
"""What a file that may be run begins with."""
OURS: Final = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EACCES, errno.EPERM),
    }
)
"""Faults of this machine, which no content of a hand-in makes."""


class HandInError(ValueError):
    """Something handed in that is refused; the message says why."""


class UnexpectedError(HandInError):
    """What looking at a hand-in raised by surprise; the fault may be mended, so none is kept."""


class VanishedError(Exception):
    """A hand-in is gone, or being replaced."""


class HostFaultError(Exception):
    """What kept a hand-in from being judged and is no fault of its own; it is to be tried again."""


@contextmanager
def blamed_on_hand_in() -> Iterator[None]:
    """Refuse the hand-in that is looked at for whatever its content raises: the one boundary.

    Raises:
        UnexpectedError: for each exception but those that follow.
        HandInError: for what is refused with a reason of its own.
        VanishedError: when the hand-in is gone, or being replaced.
        OSError: when this machine is at fault.
        NoSandboxError: when it cannot run programs of others.
    """
    try:
        yield
    except (HandInError, VanishedError, NoSandboxError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in OURS:
            raise
        raise UnexpectedError(f"it cannot be used: {reason_of(error)}") from error


@contextmanager
def blamed_on_host(*but: type[Exception]) -> Iterator[None]:
    """Take whatever is raised for a fault of this machine or of ours.

    Args:
        but: exceptions that say something of the hand-in, and are passed on.

    Raises:
        HostFaultError: for each other exception.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, (HostFaultError, *but)):
            raise
        raise host_fault(reason_of(error)) from error


def reason_of(error: Exception) -> str:
    """Return why something of this machine failed, without an error's number and path."""
    if isinstance(error, OSError | NoSandboxError):
        return getattr(error, "strerror", None) or str(error)
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def host_fault(what: str) -> HostFaultError:
    """Return a fault of this machine, as a team reads it."""
    return HostFaultError(f"not judged: a fault of the host, and tried again: {what}")


class HandedFile(NamedTuple):
    data: bytes
    is_executable: bool


Files = Mapping[str, HandedFile]


def read_hand_in(path: Path) -> Files:
    """Return the files of a folder or a zip, by their paths in it."""
    entries = _zipped(path) if path.suffix.lower() == ZIP else _in_folder(path)
    return _without_wrapping(_collected(entries))


def bare_name(name: str) -> str:
    """Return the name of a folder or zip without the ending of a zip, however that is written."""
    return name[: -len(ZIP)] if name.lower().endswith(ZIP) else name


def handed_in_at(path: Path) -> float:
    """Return when a folder or zip was handed in, in seconds of Unix time.

    A zip came when it was written here. The times of a folder's files may be those that its author
    gave them, so it came when its files were last changed on this machine.
    """
    if path.suffix.lower() == ZIP:
        return path.stat().st_mtime
    files = [Path(place, name) for place, _, names in os.walk(path) for name in names]
    return max(each.lstat().st_ctime for each in (path, *files))


def late_reason(came: float) -> str:
    """Return why a hand-in that came too late, in seconds of Unix time, is refused."""
    return f"it came at {datetime.fromtimestamp(came, UTC):%Y-%m-%d %H:%M} UTC, too late"


def read_tar(path: Path) -> Files:
    """Return the files of a tar archive that a build left."""
    return _collected(_tarred(path))


def digest_of(files: Files) -> str:
    """Return a short hash of files, which stands for their version."""
    digest = hashlib.sha256()
    for name in sorted(files):
        file = files[name]
        digest.update(f"{name}\0{file.is_executable}\0{len(file.data)}\0".encode())
        digest.update(file.data)
    return digest.hexdigest()[:12]


def write_files(files: Files, folder: Path) -> None:
    """Write files into a new folder that any user may read."""
    folder.mkdir(parents=True)
    for name, file in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
        place.chmod(EXECUTABLE if file.is_executable else PLAIN)
    for each in (folder, *(each for each in folder.rglob("*") if each.is_dir())):
        each.chmod(EXECUTABLE)


class _Entry(NamedTuple):
    """A file that may be read, piece by piece; one of Windows does not know whether it may run."""

    name: str
    is_executable: bool
    pieces: Iterable[bytes]
    is_of_windows: bool = False


def _collected(entries: Iterable[_Entry]) -> dict[str, HandedFile]:
    found: dict[str, HandedFile] = {}
    left = MOST_BYTES
    for entry in entries:
        name = _plain_path(entry.name)
        if name in found:
            raise HandInError(f"{name} is in it twice")
        if len(found) >= MOST_FILES:
            raise HandInError(f"it has more than {MOST_FILES} files")
        data = bytearray()
        for piece in entry.pieces:
            data += piece
            if len(data) > left:
                raise HandInError(f"it has more than {MOST_BYTES >> 20} MiB in all, at {name}")
        left -= len(data)
        found[name] = _runnable(name, bytes(data), entry)
    folders = {str(parent) for name in found for parent in PurePosixPath(name).parents}
    if both := folders & found.keys():
        raise HandInError(f"{min(both)} is in it as a file and as a folder")
    return found


def _runnable(name: str, data: bytes, entry: _Entry) -> HandedFile:
    """Return a file as it runs here, whatever an editor or an archive of Windows made of it."""
    if data.startswith(b"#!") or PurePosixPath(name).name in CONVERTED:
        data = data.replace(b"\r\n", b"\n")
    can_start = entry.is_of_windows and data.startswith(STARTED)
    return HandedFile(data, entry.is_executable or can_start)


def _plain_path(name: str) -> str:
    """Return a path of a file, composed as Linux programs write it; refuse one that leads out."""
    name = unicodedata.normalize("NFC", name)
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or name[1:2] == ":":
        raise HandInError(f"{name!r} leads out of the folder")
    if not name.isprintable() or not path.parts or len(name.encode()) > LONGEST_PATH:
        raise HandInError(f"{name[:LONGEST_PATH]!r} cannot be a file's path")
    return str(path)


def _zipped(path: Path) -> Iterator[_Entry]:
    if path.stat().st_size > MOST_BYTES:
        raise HandInError(f"it has more than {MOST_BYTES >> 20} MiB in all")
    content = path.read_bytes()
    if content.count(LISTED) > LISTED_A_FILE * MOST_FILES:
        raise HandInError(f"it has more than {MOST_FILES} files")
    with _broken("it is no good zip"), zipfile.ZipFile(BytesIO(content)) as archive:
        for info in archive.infolist():
            if info.filename.endswith(("/", "\\")):
                continue
            mode = info.external_attr >> 16
            if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
                raise HandInError(f"{info.filename!r} is a link or a special file")
            if info.flag_bits & 1:
                raise HandInError(f"{info.filename!r} is encrypted")
            if info.compress_type not in METHODS:
                raise HandInError(f"{info.filename!r} is neither stored nor deflated")
            with archive.open(info) as file:
                yield _Entry(
                    info.filename.replace("\\", "/"),
                    bool(mode & stat.S_IXUSR),
                    _pieces(file),
                    info.create_system == WINDOWS,
                )


def _tarred(path: Path) -> Iterator[_Entry]:
    _require_short_headers(path)
    with _broken("what the build left is no archive"), tarfile.open(path, "r:") as archive:
        for info in archive:
            if info.isdir():
                continue
            file = archive.extractfile(info) if info.isreg() else None
            if file is None:
                raise HandInError(f"the build left {info.name!r}, a link or a special file")
            yield _Entry(info.name, bool(info.mode & stat.S_IXUSR), _pieces(file))


def _require_short_headers(path: Path) -> None:
    """Refuse a tar with a long entry that is no file; tarfile reads such ones whole."""
    with path.open("rb") as archive:
        while len(header := archive.read(BLOCK)) == BLOCK:
            digits = header[SIZE].strip(b"\0 ")
            if not set(digits) <= OCTAL:
                raise HandInError("what the build left is no archive: a size is no number")
            size = int(digits or b"0", 8)
            if header[KIND] not in FILE_KINDS and size > LONGEST_HEADER:
                raise HandInError("what the build left has a name of more than 4 kB")
            archive.seek(-(-size // BLOCK) * BLOCK, os.SEEK_CUR)


def _in_folder(path: Path) -> Iterator[_Entry]:
    for place, folders, names in os.walk(path, onerror=_raise):
        folders.sort()
        for name in folders:
            if Path(place, name).is_symlink():
                raise HandInError(f"{name!r} is a link")
        for name in sorted(names):
            file = Path(place, name)
            descriptor = _opened(file)
            with os.fdopen(descriptor, "rb") as opened:
                mode = os.fstat(opened.fileno()).st_mode
                yield _Entry(
                    str(file.relative_to(path)), bool(mode & stat.S_IXUSR), _pieces(opened)
                )


def _raise(error: OSError) -> None:
    """Raise what os.walk passes over otherwise: a folder that cannot be read seems empty."""
    raise error


def _opened(file: Path) -> int:
    """Open a plain file, and nothing that a link or a pipe would put in its place."""
    if not stat.S_ISREG(file.lstat().st_mode):
        raise HandInError(f"{file.name!r} is a link or a special file")
    return os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with _broken("it is no good archive"):
        while piece := file.read(PIECE):
            yield piece


@contextmanager
def _broken(said: str) -> Iterator[None]:
    """Refuse an archive for what its reader raises, with these words and the reader's own."""
    try:
        yield
    except HandInError:
        raise
    except BROKEN as error:
        raise HandInError(f"{said}: {error}") from None


def _is_of_macos(path: PurePosixPath) -> bool:
    return path.parts[0] == "__MACOSX" or path.name == ".DS_Store"


def _without_wrapping(files: dict[str, HandedFile]) -> dict[str, HandedFile]:
    """Return the files of the one folder that holds all of them, if there is one."""
    files = {name: file for name, file in files.items() if not _is_of_macos(PurePosixPath(name))}
    tops = {name.partition("/")[0] for name in files}
    if len(tops) != 1 or not all("/" in name for name in files):
        return files
    return {name.partition("/")[2]: file for name, file in files.items()}
