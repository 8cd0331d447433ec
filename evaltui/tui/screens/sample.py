"""One sample: what was asked, what came of it, scores and error. Read from the attempt's log."""

from __future__ import annotations

from pathlib import Path

from textual.app import ComposeResult

from evaltui.logs.archive import LogError
from evaltui.logs.reading import read_log, read_sample
from evaltui.tui import sample_words
from evaltui.tui.actions import Place, Situation
from evaltui.tui.picture import AttemptLine, Picture, SampleLine
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.widgets.split_line import SplitLine
from evaltui.tui.widgets.text_panel import TextPanel

NOT_YET = (
    "Its whole record is not in the log yet: Inspect writes several at a time, and what a writer "
    "that was killed had not written comes with the next run."
)


class SampleScreen(SetScreen):
    """A sample's summary to scroll through."""

    place = Place.CELL

    def __init__(self, key: str, line: SampleLine, attempt: AttemptLine | None) -> None:
        super().__init__()
        self.key = key
        self._line = line
        self._attempt = attempt

    def body(self) -> ComposeResult:
        yield SplitLine(id="header")
        yield TextPanel(Place.CELL, id="sample")

    @property
    def panel(self) -> TextPanel:
        return self.query_one("#sample", TextPanel)

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.key,)

    def situation(self, picture: Picture) -> Situation:
        return self.about(picture, self.targets, rows=self.panel.line_count, row=False)

    def on_mount(self) -> None:
        super().on_mount()
        self.panel.focus(scroll_visible=False)
        line, attempt = self._line, self._attempt
        self.panel.set_title(
            ((f"{line.id}", "title"), (f", epoch {line.epoch}", "muted")),
            cell(attempt.log or "" if attempt else "", "muted"),
        )
        self._put(sample_words.known_lines(line))
        if attempt is not None and attempt.log:
            path = self.set_app.view.layout.log_dir / attempt.log
            self.set_app.view.work(lambda _: self._read(path), self._arrived)

    def _read(self, path: Path) -> list[Cell]:
        try:
            record = read_sample(path, self._line.id, self._line.epoch)
        except LogError as error:
            said = NOT_YET if _is_unfinished(path) else str(error)
            return [*sample_words.known_lines(self._line), (), cell(said, "warn")]
        return sample_words.record_lines(record, self._line)

    def _arrived(self, lines: list[Cell]) -> None:
        self.set_app.call_from_view(lambda: self._put(lines))

    def _put(self, lines: list[Cell]) -> None:
        if self.is_mounted:
            width = max(20, self.app.size.width - 4)
            self.panel.set(sample_words.wrapped(lines, width))

    def show(self, picture: Picture, now: float) -> None:
        from evaltui.tui import selectors

        state = picture.state.cells.get(self.key)
        name = f"{state.cell.task} {self.glyphs.times} {state.cell.model}" if state else ""
        crumb = f"{name} {self.glyphs.crumb} sample {self._line.id}"
        left, right = selectors.header(picture, crumb, now, self.glyphs)
        self.query_one("#header", SplitLine).set(left, right)

    def do_back(self) -> None:
        self.dismiss()


def _is_unfinished(path: Path) -> bool:
    log = read_log(path)
    return log.header is not None and not log.finished
