"""Zip archives put together from members of others, copied as they are, and from new content.

Made for seed logs: a union of samples from several logs without decoding one. Knows zip, not
Inspect.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from evaltui.logs.archive import (
    DEFLATED,
    END,
    END64,
    END64_LOCATOR,
    ENTRY,
    FULL16,
    FULL32,
    LOCAL,
    UTF8,
    Member,
    RawMember,
)

_VERSION = {True: 45, False: 20}
_NO_DATE = (1 << 5) | 1  # 1980-01-01, the first day zip knows: equal parts make equal files


def write_archive(dest: Path, parts: Iterable[RawMember | tuple[str, bytes]]) -> None:
    """Put an archive of `parts`, in their order, at `dest`.

    A RawMember is copied without decoding; its compression, checksum and date stay. Content given
    as (name, bytes) is deflated. Written to a temporary name beside `dest`, fsynced and renamed:
    when anything fails, `dest` is as it was. Raises ValueError for two parts of one name, OSError
    from writing, LogError from reading a source.
    """
    temporary = dest.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            _write(file, parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, dest)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _write(file: BinaryIO, parts: Iterable[RawMember | tuple[str, bytes]]) -> None:
    written: dict[str, Member] = {}
    offset = 0
    for part in parts:
        if isinstance(part, RawMember):
            # a name's encoding and the place of sizes are told by flags: ours are set anew below
            member = part.member._replace(flags=part.member.flags & ~0x808 | UTF8, offset=offset)
            blocks: Iterable[bytes] = part.archive.raw_blocks(part.member)
        else:
            member, packed = _deflated(*part, offset)
            blocks = (packed,)
        if member.name in written:
            raise ValueError(f"two parts have the name {member.name}")
        header = _local_header(member)
        file.write(header)
        for block in blocks:
            file.write(block)
        written[member.name] = member
        offset += len(header) + member.compressed
    _write_directory(file, list(written.values()), offset)


def _deflated(name: str, content: bytes, offset: int) -> tuple[Member, bytes]:
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(content) + packer.flush()
    crc, size = zlib.crc32(content), len(content)
    member = Member(name, DEFLATED, UTF8, 0, _NO_DATE, crc, len(packed), size, offset)
    return member, packed


def _local_header(member: Member) -> bytes:
    name = member.name.encode()
    sizes, extra = (member.compressed, member.size), b""
    if max(sizes) >= FULL32:
        extra = struct.pack("<2H2Q", 1, 16, member.size, member.compressed)
        sizes = (FULL32, FULL32)
    header = LOCAL.pack(
        b"PK\x03\x04", _VERSION[bool(extra)], member.flags, member.method, member.time,
        member.date, member.crc, *sizes, len(name), len(extra),
    )  # fmt: skip
    return header + name + extra


def _directory_entry(member: Member) -> bytes:
    name = member.name.encode()
    values = (member.size, member.compressed, member.offset)
    large = [value for value in values if value >= FULL32]
    extra = struct.pack(f"<2H{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    size, compressed, offset = (min(value, FULL32) for value in values)
    version = _VERSION[bool(extra)]
    entry = ENTRY.pack(
        b"PK\x01\x02", version, version, member.flags, member.method, member.time, member.date,
        member.crc, compressed, size, len(name), len(extra), 0, 0, 0, 0o600 << 16, offset,
    )  # fmt: skip
    return entry + name + extra


def _write_directory(file: BinaryIO, members: list[Member], start: int) -> None:
    length = 0
    for member in members:
        length += file.write(_directory_entry(member))
    count = len(members)
    if count >= FULL16 or length >= FULL32 or start >= FULL32:
        file.write(
            END64.pack(b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, start)
            + END64_LOCATOR.pack(b"PK\x06\x07", 0, start + length, 1)
        )
    shown = min(count, FULL16)
    file.write(
        END.pack(b"PK\x05\x06", 0, 0, shown, shown, min(length, FULL32), min(start, FULL32), 0)
    )
