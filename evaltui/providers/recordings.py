"""Recorded model outputs by sample: from an Inspect log, or from JSON lines.

A line of JSON holds `output` (a text, or a model output as Inspect logs it) or `outputs` (several,
for samples with several calls), and names its sample by `id`, by `input` (its text), or both;
`epoch` is optional, a line without it serves every epoch. Reads files and never calls a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from evaltui.logs.archive import LogError
from evaltui.logs.attachments import resolve_attachments
from evaltui.logs.content import content_fingerprint
from evaltui.logs.reading import read_heads, read_log, read_sample
from evaltui.logs.records import SampleHead

Output = str | Mapping[str, Any]


class RecordingError(Exception):
    """A recording that is not there or can't be used; one sentence that names the file."""


@dataclass(frozen=True, slots=True)
class Call:
    """One answer of a model. prompt: fingerprint of the messages it answered, where recorded."""

    output: Output
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """The calls of one sample. id, text (of its input), epoch: None where not recorded.

    calls: None where they stand in the log and are read when asked for.
    """

    id: str | None
    epoch: int | None
    text: str | None
    calls: tuple[Call, ...] | None


class Recordings:
    """The recordings of one file, found by sample id or by what was asked."""

    def __init__(self, path: Path, recordings: Iterable[Recording]) -> None:
        self.path = path
        self._by_id: dict[str, list[Recording]] = {}
        self._by_text: dict[str, list[Recording]] = {}
        for recording in recordings:
            if recording.id is not None:
                self._by_id.setdefault(recording.id, []).append(recording)
            if recording.text is not None:
                self._by_text.setdefault(recording.text, []).append(recording)

    def find(
        self, id: str | None, epoch: int | None, texts: Sequence[str], input: str | None = None
    ) -> Recording | None:
        """The recording of a sample; what was asked decides before the id, which may be a number.

        texts: what may be the sample's input, as plain text; compared without regard to spaces.
        input: what surely is it. None when there is no recording, when several ask the same and
        none has this id and epoch, or when the one with this id asked something else.
        """
        if input is not None:
            texts = [input, *texts]
        asked = [r for text in texts for r in self._by_text.get(plain(text), [])]
        named = self._by_id.get(id, []) if id is not None else []
        if input is not None:
            named = [r for r in named if r.text in (None, plain(input))]
        same = [r for r in asked if r.id is None or id is None or r.id == id]
        for candidates in (same, asked, named):
            fitting = [r for r in candidates if epoch is None or r.epoch in (None, epoch)]
            if fitting:
                return fitting[0] if len({(r.id, r.epoch) for r in fitting}) == 1 else None
        return None

    def calls(self, recording: Recording) -> tuple[Call, ...]:
        """The recorded calls of a sample, in order. Raises RecordingError."""
        if recording.calls is not None:
            return recording.calls
        try:
            sample = read_sample(self.path, str(recording.id), recording.epoch or 1)
        except LogError as error:
            raise RecordingError(f"{self.path}: {error}") from None
        return tuple(_calls_of(sample))


def plain(text: str) -> str:
    """A text with its runs of white space as one space each."""
    return " ".join(text.split())


def text_of(messages: Any) -> str:
    """The text of an input: itself, or that of its last user message."""
    if isinstance(messages, str):
        return messages
    asked = [m for m in messages if isinstance(m, Mapping) and m.get("role") == "user"]
    content = asked[-1].get("content", "") if asked else ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))


def open_recordings(path: Path) -> Recordings:
    """The recordings in a `.eval` or `.json` log, or in a `.jsonl` file. Raises RecordingError."""
    if not path.is_file():
        raise RecordingError(
            f"There is no recording at {path}; a replay/ model is named replay/<path to a log or "
            "a .jsonl file>, relative to the folder the run starts in."
        )
    if path.suffix in (".eval", ".json"):
        return Recordings(path, _from_log(path))
    return Recordings(path, _from_lines(path))


# --- logs -----------------------------------------------------------------------------------------


def _from_log(path: Path) -> Iterator[Recording]:
    file = read_log(path)
    if file.header is None:
        raise RecordingError(f"{path}: {file.reason}")
    try:
        for head in read_heads(path):
            yield _of_head(head)
    except LogError as error:
        raise RecordingError(f"{path}: {error}") from None


def _of_head(head: SampleHead) -> Recording:
    return Recording(str(head.id), head.epoch, plain(text_of(head.input)), None)


def _calls_of(sample: Mapping[str, Any]) -> Iterator[Call]:
    """The answers of the evaluated model in a logged sample; the last output where none is logged.

    Calls in another role (a grader's) are those of other models.
    """
    attachments: Mapping[str, str] = sample.get("attachments") or {}
    pool = (sample.get("events_data") or {}).get("messages") or []
    found = False
    for event in sample.get("events") or ():
        if event.get("event") == "model" and not event.get("role") and not event.get("error"):
            output = event.get("output") or {}
            if output.get("choices"):
                found = True
                yield Call(
                    resolve_attachments(output, attachments), _prompt(event, pool, attachments)
                )
    if not found and (sample.get("output") or {}).get("choices"):
        yield Call(resolve_attachments(sample["output"], attachments))


def _prompt(event: Mapping[str, Any], pool: Sequence[Any], attachments: Mapping[str, str]) -> str:
    references = event.get("input_refs")
    messages = (
        [message for start, end in references for message in pool[start:end]]
        if references
        else event.get("input") or []
    )
    return content_fingerprint(messages, "", None, attachments).content


# --- JSON lines -----------------------------------------------------------------------------------


class _Line(msgspec.Struct):
    id: str | int | None = None
    epoch: int | None = None
    input: str | list[dict[str, Any]] | None = None
    output: str | dict[str, Any] | None = None
    outputs: list[str | dict[str, Any]] | None = None


def _from_lines(path: Path) -> Iterator[Recording]:
    decoder = msgspec.json.Decoder(_Line)
    with open(path, "rb") as file:
        for number, content in enumerate(file, 1):
            if content.strip():
                yield _recording(path, number, content, decoder)


def _recording(
    path: Path, number: int, content: bytes, decoder: msgspec.json.Decoder[_Line]
) -> Recording:
    try:
        line = decoder.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordingError(f"{path}, line {number}: {error}.") from None
    outputs = line.outputs if line.outputs is not None else [line.output]
    calls = tuple(Call(output) for output in outputs if output is not None)
    if not calls or (line.id is None and line.input is None):
        raise RecordingError(
            f"{path}, line {number}: a recording needs `output` or `outputs`, and `id` or `input`."
        )
    return Recording(
        id=None if line.id is None else str(line.id),
        epoch=line.epoch,
        text=None if line.input is None else plain(text_of(line.input)),
        calls=calls,
    )


# --- recording ------------------------------------------------------------------------------------


def recorded_lines(path: Path) -> Iterator[bytes]:
    """The samples of a log as JSON lines that can be replayed. Raises RecordingError.

    Samples without any answer (errored before the first call) are left out.
    """
    file = read_log(path)
    if file.header is None:
        raise RecordingError(f"{path}: {file.reason}")
    try:
        for head in read_heads(path):
            calls = [_short(c.output) for c in _calls_of(read_sample(path, head.id, head.epoch))]
            if calls:
                line = {
                    "id": head.id,
                    "epoch": head.epoch,
                    "input": text_of(head.input),
                    "outputs": calls,
                }
                yield msgspec.json.encode(line) + b"\n"
    except LogError as error:
        raise RecordingError(f"{path}: {error}") from None


def _short(output: Output) -> Output:
    """An output as a recording needs it: without the duplicate of its text and its timing."""
    if isinstance(output, str):
        return output
    return {key: value for key, value in output.items() if key not in ("completion", "time")}
