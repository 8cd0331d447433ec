"""Textual's terminal driver, made fit for slow lines and for terminals that go away.

Sends only what changes the picture. Bytes that are no text never end the app; a terminal that is
gone ends it at once, where Textual would spin on it. Draws nothing and knows no widget.
"""

from __future__ import annotations

import codecs
import os
import selectors
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO, cast

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from evaltui.tui.damage import Picture
from evaltui.tui.terminal import erases_with_ground, terminal_is_there

_SYNC_START = "\x1b[?2026h"
_SYNC_END = "\x1b[?2026l"
_FOCUS_REPORTS = "\x1b[?1004h"
"""Not asked for: Textual takes the keys from a widget while another window has the focus, which
would close an open question."""

_WATCH_SECONDS = 2.0


class Guest(Protocol):
    """What the driver tells its app."""

    def terminal_ready(self, driver: QuietDriver) -> None: ...

    def terminal_lost(self) -> None: ...


class QuietDriver(LinuxDriver):
    """The driver. `forget` before the whole screen is to be drawn anew."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file = cast(Any, _Lasting(cast(TextIO, self._file)))
        self._picture = Picture(erases=erases_with_ground(os.environ))
        self._parser = XTermParser(debug)
        self._begun = False
        self._lost = False
        cast(Guest, app).terminal_ready(self)

    def forget(self) -> None:
        """Something else may have written on the terminal, or it has another size."""
        self._picture.forget()

    def write(self, data: str) -> None:
        """Send data; of a frame, what changes the picture."""
        if self._lost or data == _FOCUS_REPORTS:
            return
        if data == _SYNC_START:
            self._begun = True
            return
        if data == _SYNC_END:
            if not self._begun:
                super().write(data)
            self._begun = False
            return
        if data.startswith("\x1b[?1049"):
            self._picture.forget()
        elif data.startswith("\x1b[") and data[2:3].isdigit():
            data = self._picture.reduce(data)
        if data:
            super().write(_SYNC_START + data if self._begun else data)
            self._begun = False

    def run_input_thread(self) -> None:
        """Read keys until told to stop. What is no UTF-8 or no sequence is passed over."""
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._parser = XTermParser(self._debug)
        watched = time.monotonic()
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1) and not self._read(decode):
                    self._gone()
                    return
                for message in self._parser.tick():
                    self.process_message(message)
                if time.monotonic() - watched > _WATCH_SECONDS:
                    watched = time.monotonic()
                    if not terminal_is_there(self.fileno):
                        self._gone()
                        return

    def _read(self, decode: Callable[[bytes], str]) -> bool:
        """Read once; False when the terminal is gone."""
        try:
            data = os.read(self.fileno, 4096)
        except OSError:
            return False
        if not data:
            return False
        text = decode(data)
        if not text:  # half a character; to the parser, nothing is the end
            return True
        try:
            for message in self._parser.feed(text):
                self.process_message(message)
        except (ParseError, ValueError):
            self._parser = XTermParser(self._debug)
        return True

    def _gone(self) -> None:
        self._lost = True
        self._loop.call_soon_threadsafe(cast(Guest, self._app).terminal_lost)


class _Lasting:
    """A file whose loss is no error: what is written to a terminal that is gone is dropped."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._fileno = file.fileno()
        self._encoding = file.encoding or "utf-8"

    def fileno(self) -> int:
        return self._fileno

    def write(self, text: str) -> int:
        try:
            # Not every terminal takes every letter, and a surrogate none.
            self._file.write(text.encode(self._encoding, "replace").decode(self._encoding))
        except (OSError, ValueError):
            return 0
        return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except (OSError, ValueError):
            return
