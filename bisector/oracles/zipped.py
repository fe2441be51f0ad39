"""The members of a zip file without copying those that are only stored, as torch and numpy do it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from bisector.oracles.leaves import Unreadable

LOCAL_HEADER = struct.Struct("<4s5H3I2H")
DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    ValueError,  # a name that is no UTF-8
    NotImplementedError,  # a compression that Python has not
    RuntimeError,  # a password is asked for
)
"""What zipfile answers a damaged file with."""
LARGEST_INFLATED = 1 << 32


def members(content: memoryview) -> dict[str, memoryview]:
    """In the file's order."""
    try:
        with zipfile.ZipFile(_Reader(content)) as archive:
            return {info.filename: _member(archive, info, content) for info in archive.infolist()}
    except DAMAGES as error:
        raise Unreadable(f"not a whole zip file: {error}") from error


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, content: memoryview) -> memoryview:
    if info.compress_type != zipfile.ZIP_STORED:
        if info.file_size > LARGEST_INFLATED:
            raise Unreadable(f"{info.filename} would be {info.file_size} bytes")
        return memoryview(archive.read(info))
    header = LOCAL_HEADER.unpack_from(content, info.header_offset)
    begin = info.header_offset + LOCAL_HEADER.size + header[-2] + header[-1]
    member = content[begin : begin + info.file_size]
    if len(member) != info.file_size:
        raise Unreadable(f"{info.filename} was cut off")
    return member


class _Reader(io.RawIOBase):
    """zipfile wants a file: one that reads from what is mapped."""

    def __init__(self, content: memoryview) -> None:
        self._content = content
        self._at = 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._content)}[whence]
        if base + offset < 0:
            raise OSError("before the beginning")
        self._at = base + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = len(self._content) if size is None or size < 0 else self._at + size
        piece = bytes(self._content[self._at : end])
        self._at += len(piece)
        return piece
