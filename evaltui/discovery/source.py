"""From the bytes of a `.py` or `.ipynb` file to its top-level statements.

Reads encodings as Python does (PEP 263, byte order mark). A file that can hold no task is not
parsed at all. It never runs code and knows nothing of tasks beyond the word.
"""

from __future__ import annotations

import ast
import re
import warnings
from codecs import BOM_UTF8
from pathlib import Path
from textwrap import dedent
from typing import Any

# The word behind an `@`, dotted or not, or imported under another name. Coarse on purpose: what
# passes is parsed. It must hold back most files, since parsing costs ten times what reading does.
# Two patterns, because each has a literal start that the search can jump to.
DECORATED = re.compile(rb"@[\s\\(]*(?:[\w\x80-\xff]+[\s\\]*\.[\s\\]*)*task\b")
RENAMED = re.compile(rb"task[\s\\]+as\b")
# IPython's own lines, with what a backslash at their end adds.
MAGIC_LINE = re.compile(
    r"^([ \t]*)(?:[%!?](?:.*\\\n)*.*|[\w.%!*\[\]]+\?{1,2}[ \t]*)$", re.MULTILINE
)
MAGIC_VALUE = re.compile(r"^([ \t]*[\w \t,.:\[\]'\"]+=)[ \t]*[%!](?:.*\\\n)*.*$", re.MULTILINE)
PARSER_LIMITS = (RecursionError, MemoryError)


class Unreadable(Exception):
    """A file that can't be parsed. `line` is from 1, or None where no one line is to blame."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def statements(path: Path) -> list[ast.stmt]:
    """The top-level statements of the file; none where it can hold no task.

    A notebook's are those of its code cells, one after the other. Raises `Unreadable`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable((error.strerror or "can't be read").lower()) from None
    if not (DECORATED.search(data) or RENAMED.search(data)):
        return []
    if path.suffix == ".ipynb":
        return _notebook(data)
    return _python(data)


def _python(data: bytes) -> list[ast.stmt]:
    try:
        return _parse(_decoded(data))
    except SyntaxError as error:
        raise Unreadable(f"syntax error: {error.msg}", error.lineno) from None


def _decoded(data: bytes) -> str:
    """The source as text. Stricter than some Pythons, which let stray bytes in comments pass."""
    if b"\0" in data:
        raise Unreadable(
            "holds a NUL byte, which Python source can't", _line_of(data, data.index(b"\0"))
        )
    encoding = _declared_encoding(data)
    try:
        return data.removeprefix(BOM_UTF8).decode(encoding or "utf-8")
    except UnicodeDecodeError as bad:
        line, byte = _line_of(data, bad.start), f"byte 0x{bad.object[bad.start]:02x}"
        if encoding is None:
            raise Unreadable(f"not UTF-8 ({byte}) and no encoding is declared", line) from None
        raise Unreadable(f"not {encoding} ({byte}), as the file declares", line) from None
    except (LookupError, UnicodeError):  # UnicodeError: codecs that are none for files ("idna")
        reason = f'declares the encoding "{encoding}", which Python has not for source files'
        raise Unreadable(reason, 1) from None


def _line_of(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def _parse(source: str) -> list[ast.stmt]:
    # A doubtful escape such as "\d" is the author's business; here it would be printed, or, where
    # warnings are errors, pass for a syntax error.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source).body
        except PARSER_LIMITS:
            raise Unreadable("nested too deeply to be parsed") from None
        except ValueError as error:  # UnicodeEncodeError: lone surrogates, which a codec may yield
            raise SyntaxError(str(error)) from None


def _declared_encoding(data: bytes) -> str | None:
    """What the first two lines declare, as PEP 263 has it; None where they declare nothing."""
    for line in data.split(b"\n", 2)[:2]:
        found = re.match(rb"^[ \t\f\xef\xbb\xbf]*#.*?coding[:=][ \t]*([-\w.]+)", line)
        if found:
            return found.group(1).decode("ascii")
        if not re.match(rb"^[ \t\f\r\xef\xbb\xbf]*(?:#.*)?$", line):
            return None
    return None


def _notebook(data: bytes) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    above = 0
    for number, source in enumerate(_code_cells(data), start=1):
        try:
            body = _parse_cell(source)
        except SyntaxError as error:
            place = f"code cell {number}, line {error.lineno or 1}"
            raise Unreadable(f"syntax error in {place}: {error.msg}") from None
        for statement in body:
            ast.increment_lineno(statement, above)
        found.extend(body)
        above += source.count("\n") + 1
    return found


def _code_cells(data: bytes) -> list[str]:
    import json

    try:
        notebook = json.loads(data)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise Unreadable("not a notebook: it is not valid JSON", line) from None
    if not isinstance(notebook, dict):
        raise Unreadable("not a notebook: it has no cells")
    sheets: list[Any] = [notebook, *_list(notebook.get("worksheets"))]  # worksheets: before v4
    cells = [
        cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))
    ]
    return [
        _text(cell.get("source", cell.get("input", "")))
        for cell in cells
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(part for part in value if isinstance(part, str))
    return value if isinstance(value, str) else ""


def _parse_cell(source: str) -> list[ast.stmt]:
    if source.lstrip().startswith("%%"):  # the whole cell belongs to the magic
        return []
    try:
        return _parse(source)
    except SyntaxError:
        plain = _without_magics(dedent(source))
        if plain == source:
            raise
        return _parse(plain)


def _without_magics(source: str) -> str:
    """`%magic`, `!command`, `name?` and `x = !command` made plain Python, line for line."""
    source = MAGIC_LINE.sub(lambda line: line[1] + "pass" + "\n" * line[0].count("\n"), source)
    return MAGIC_VALUE.sub(lambda line: line[1] + " None" + "\n" * line[0].count("\n"), source)
