"""Members of a zip archive, found from the end of its directory and decoded one at a time.

Made for `.eval` logs: one file holds thousands of members and a reader wants two of them. Knows
zip, not Inspect: nothing here may depend on what the members mean.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

STORED, DEFLATED, ZSTD = 0, 8, 93

_TAIL = 64 * 1024
_TAIL_WITH_COMMENT = 22 + 0xFFFF + 20
_FIRST_BLOCK = 8 * 1024
_LARGEST_BLOCK = 1024 * 1024

END = struct.Struct("<4s4H2IH")
END64_LOCATOR = struct.Struct("<4sIQI")
END64 = struct.Struct("<4sQ2H2I4Q")
ENTRY = struct.Struct("<4s6H3I5H2I")
LOCAL = struct.Struct("<4s5H3I2H")
_ENTRY_MARK = b"PK\x01\x02"
FULL16, FULL32 = 0xFFFF, 0xFFFFFFFF
UTF8, _ENCRYPTED = 0x800, 0x1


class LogError(Exception):
    """A log or manifest that can't be read; `str()` is one sentence that names the file."""


class Member(NamedTuple):
    """One directory entry. Sizes and offset in bytes, `crc` and `size` of the decoded content."""

    name: str
    method: int
    flags: int
    time: int
    date: int
    crc: int
    compressed: int
    size: int
    offset: int


class RawMember(NamedTuple):
    """A member to be copied as it is; its archive must stay open until that is done."""

    archive: Archive
    member: Member


class Archive:
    """A zip archive open for reading.

    Keeps reading the file it opened when another is renamed over it. Every failure, a missing file
    included, is a LogError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._members: dict[str, Member] | None = None
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise unreadable(path, error) from None
        try:
            status = os.fstat(self._descriptor)
            self.size = status.st_size
            self.mtime_ns = status.st_mtime_ns
            self._locate_directory()
        except OSError as error:
            self.close()
            raise unreadable(path, error) from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def find(self, name: str) -> Member | None:
        """The member of that name, the last one written if there are several.

        Looks from the end of the directory, where `.eval` logs have their headers.
        """
        wanted = name.encode("utf-8", "replace")
        begin, end = self._start - self._tail_start, self._end - self._tail_start
        known = self._tail[max(0, begin) : max(0, end)]
        found = _find_last(known, wanted)
        if found is None and len(known) < self._end - self._start:
            found = _find_last(self._directory(), wanted)
        return found

    def members(self) -> dict[str, Member]:
        """All members by name in directory order; of several with one name the last one."""
        if self._members is None:
            directory, position = self._directory(), 0
            self._members = {}
            while position < len(directory):
                try:
                    member, position = _entry(directory, position)
                except (struct.error, ValueError):
                    raise LogError(f"{self.path.name} has a damaged zip directory.") from None
                self._members[member.name] = member
        return self._members

    def read(self, member: Member) -> bytes:
        """The whole content of a member, checked against its checksum."""
        content = b"".join(self.pieces(member))
        if len(content) != member.size or zlib.crc32(content) != member.crc:
            raise self._damaged(member)
        return content

    def pieces(self, member: Member) -> Iterator[bytes]:
        """The content of a member piece by piece; stop early to decode no more than needed."""
        if member.flags & _ENCRYPTED:
            raise LogError(f"{self.path.name} is encrypted, which Inspect logs are not.")
        decode = self._decoder(member.method)
        produced = 0
        for block in self.raw_blocks(member):
            try:
                piece = decode(block)
            except Exception:  # zlib.error or zstandard.ZstdError, which is imported lazily
                raise self._damaged(member) from None
            produced += len(piece)
            if produced > member.size:
                raise self._damaged(member)
            if piece:
                yield piece

    def raw_blocks(self, member: Member) -> Iterator[bytes]:
        """The encoded bytes of a member as they lie in the file, small blocks first."""
        local = self._bytes(member.offset, LOCAL.size)
        if len(local) < LOCAL.size or local[:4] != b"PK\x03\x04":
            raise self._damaged(member)
        name_length, extra_length = struct.unpack_from("<2H", local, 26)
        position = member.offset + LOCAL.size + name_length + extra_length
        end, block = position + member.compressed, _FIRST_BLOCK
        while position < end:
            data = self._bytes(position, min(block, end - position))
            if not data:
                raise self._damaged(member)
            yield data
            position += len(data)
            block = min(block * 2, _LARGEST_BLOCK)

    def _decoder(self, method: int) -> Callable[[bytes], bytes]:
        if method == STORED:
            return lambda block: block
        if method == DEFLATED:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress
        if method == ZSTD:
            return _zstd_decoder()
        raise LogError(f"{self.path.name} is packed with zip method {method}, which is not known.")

    def _damaged(self, member: Member) -> LogError:
        return LogError(f"{self.path.name} is damaged: its member {member.name} can't be read.")

    def _bytes(self, offset: int, length: int) -> bytes:
        if offset >= self._tail_start:
            begin = offset - self._tail_start
            return self._tail[begin : begin + length]
        try:
            return os.pread(self._descriptor, length, offset)
        except (OSError, OverflowError) as error:
            raise unreadable(self.path, error) from None

    def _directory(self) -> bytes:
        length = self._end - self._start
        directory = self._bytes(self._start, length)
        if len(directory) < length:
            raise LogError(f"{self.path.name} has a damaged zip directory.")
        return directory

    def _locate_directory(self) -> None:
        if self.size == 0:
            raise LogError(f"{self.path.name} is empty.")
        for length in (_TAIL, _TAIL_WITH_COMMENT):
            self._tail_start = max(0, self.size - length)
            self._tail = os.pread(self._descriptor, self.size - self._tail_start, self._tail_start)
            position = self._tail.rfind(b"PK\x05\x06")
            if 0 <= position <= len(self._tail) - END.size:
                break
        else:
            raise self._without_directory()
        count, length, start = END.unpack_from(self._tail, position)[4:7]
        if count == FULL16 or FULL32 in (length, start):
            length, start = self._locate_directory64(position, length, start)
        self._start, self._end = start, start + length
        if self._end > self._tail_start + position:
            raise self._without_directory()

    def _locate_directory64(self, position: int, length: int, start: int) -> tuple[int, int]:
        """Length and start of the directory where zip64 records give them, else as they were."""
        if position < END64_LOCATOR.size:
            return length, start
        locator = END64_LOCATOR.unpack_from(self._tail, position - END64_LOCATOR.size)
        if locator[0] != b"PK\x06\x07":
            return length, start
        record = self._bytes(locator[2], END64.size)
        if len(record) < END64.size or record[:4] != b"PK\x06\x06":
            raise self._without_directory()
        length, start = END64.unpack(record)[8:10]
        return length, start

    def _without_directory(self) -> LogError:
        begins = os.pread(self._descriptor, 4, 0)
        if begins == b"PK\x03\x04":
            return LogError(f"{self.path.name} is cut off: its zip directory is missing.")
        return LogError(f"{self.path.name} is not a log: it is no zip archive.")


def unreadable(path: Path, error: Exception) -> LogError:
    """The sentence for a file that the system won't let be read."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return LogError(f"{path.name} can't be read: {why}.")


def _find_last(directory: bytes, wanted: bytes) -> Member | None:
    end = len(directory)
    while (position := directory.rfind(wanted, 0, end)) >= 0:
        start = position - ENTRY.size
        # A sample's id may contain the wanted name: what counts is a whole entry of this length,
        # which no id can imitate, as names hold no NUL and the length's second byte is one.
        if start >= 0 and directory[start : start + 4] == _ENTRY_MARK:
            length = int.from_bytes(directory[start + 28 : start + 30], "little")
            if length == len(wanted):
                try:
                    return _entry(directory, start)[0]
                except (struct.error, ValueError):
                    return None
        end = position + len(wanted) - 1
    return None


def _entry(directory: bytes, position: int) -> tuple[Member, int]:
    """The entry at `position` and where the next begins; ValueError or struct.error if none."""
    (
        mark, _, _, flags, method, time, date, crc, compressed, size,
        name_length, extra_length, comment_length, _, _, _, offset,
    ) = ENTRY.unpack_from(directory, position)  # fmt: skip
    name_end = position + ENTRY.size + name_length
    extra_end = name_end + extra_length
    if mark != _ENTRY_MARK or extra_end > len(directory):
        raise ValueError("no directory entry")
    raw_name = directory[position + ENTRY.size : name_end]
    name = raw_name.decode("utf-8" if flags & UTF8 else "cp437", "replace")
    if FULL32 in (compressed, size, offset):
        size, compressed, offset = _zip64(directory[name_end:extra_end], size, compressed, offset)
    member = Member(name, method, flags, time, date, crc, compressed, size, offset)
    return member, extra_end + comment_length


def _zip64(extra: bytes, *values: int) -> tuple[int, int, int]:
    """Size, compressed size and offset with those that don't fit 32 bits read from `extra`."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        position += 4
        if kind == 1:
            large = iter(struct.unpack_from(f"<{length // 8}Q", extra, position))
            size, compressed, offset = (
                next(large, value) if value == FULL32 else value for value in values
            )
            return size, compressed, offset
        position += length
    size, compressed, offset = values
    return size, compressed, offset


def _zstd_decoder() -> Callable[[bytes], bytes]:
    """Decodes a run of zstd frames: Inspect begins a new frame every 200 MiB."""
    import zstandard

    context = zstandard.ZstdDecompressor()
    frame = context.decompressobj()

    def decode(block: bytes) -> bytes:
        nonlocal frame
        pieces = [frame.decompress(block)]
        while frame.eof:
            rest = frame.unused_data
            frame = context.decompressobj()
            if not rest:
                break
            pieces.append(frame.decompress(rest))
        return b"".join(pieces)

    return decode
