"""Short-lived processes of evaltui's own, for what the app must not load (statistics)."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Sequence

import msgspec


class Finished(msgspec.Struct, frozen=True):
    """What a process left behind. said: the last line of its stderr, as far as it is text."""

    code: int
    out: bytes
    said: str


async def run_module(module: str, words: Sequence[str]) -> Finished:
    """Run `python -m module words…` to its end. It ends with the task that waits for it.

    Raises OSError where it can't be started.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return Finished(process.returncode or 0, out, lines[-1] if lines else "")
