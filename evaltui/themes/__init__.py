"""Themes: what each style token looks like. Four are shipped, users add files of their own.

A theme file names a paint for each token: `fail = "bold #f0803c"`. A file may stand on another
(`base = "dark"`) and then names what differs. No colour is named anywhere else in evaltui. Knows
neither Rich nor Textual, nor where the user's folder is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import msgspec

from evaltui.settings import nearest

Colours = Literal["rgb", "ansi", "none"]
"""`rgb` names its colours, `ansi` uses the terminal's 16, `none` has attributes alone."""

TOKENS: Mapping[str, str] = MappingProxyType(
    {
        "text": "everything else; its ground is the ground of the screen",
        "muted": "what explains: units, paths, the rest of a bar",
        "strong": "names and totals that head something",
        "accent": "what the eye should find: titles of the panel in focus, keys",
        "border": "lines around panels",
        "focus": "lines around the panel that has the keys",
        "header": "column titles",
        "ok": "complete",
        "fail": "failed, errors",
        "run": "running",
        "wait": "waiting for its next try",
        "queued": "not started",
        "held": "held by the user",
        "blocked": "cannot run until something outside changes",
        "changed": "content that is no longer what was asked",
        "kept": "reused work",
        "new": "work to be done",
        "done": "work done now",
        "spark": "small charts",
        "key": "a key in the hint bar",
        "off": "an action that cannot be used now",
        "info": "message line: what happened",
        "warn": "message line: what to watch",
        "error": "message line: what went wrong",
        "field": "text being typed",
        "cursor": "ground of the row under the cursor",
        "resting": "ground of that row while another panel has the keys",
        "mark": "ground of marked rows",
    }
)
"""Every style token, and what it is for."""

GROUNDS = ("cursor", "resting", "mark")
"""Tokens that lie under others."""

SHIPPED = ("dark", "light", "ansi", "mono")

ATTRIBUTES = ("bold", "dim", "italic", "underline", "reverse")

ANSI_COLOURS = tuple(
    prefix + name
    for prefix in ("", "bright_")
    for name in ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
)


class ThemeError(ValueError):
    """A theme that cannot be used; the text names the file and the way out."""


class Paint(msgspec.Struct, frozen=True):
    """A foreground, a ground and attributes. A colour is `#rrggbb`, an ANSI name, or None."""

    fore: str | None = None
    ground: str | None = None
    attributes: frozenset[str] = frozenset()


class Theme(msgspec.Struct, frozen=True):
    """A whole theme: a paint for every token."""

    name: str
    colours: Colours
    dark: bool
    paints: Mapping[str, Paint]

    def paint(self, token: str, ground: str | None = None) -> Paint:
        """What a token looks like: text's paint, the token's over it, the ground's under it.

        A ground with a foreground of its own, or a reversed one, makes the row one colour: what
        lies on it keeps neither colour nor attributes.
        """
        text, own = self.paints["text"], self.paints[token]
        fore, back = own.fore or text.fore, own.ground or text.ground
        if ground is None:
            return Paint(fore, back, own.attributes)
        under = self.paints[ground]
        if under.fore is None and "reverse" not in under.attributes:
            return Paint(fore, under.ground or back, own.attributes | under.attributes)
        return Paint(under.fore or text.fore, under.ground or text.ground, under.attributes)


def parse_paint(text: str) -> Paint:
    """`bold #f0803c on #11151a` as a Paint. Raises ValueError that says which word is wrong."""
    attributes: set[str] = set()
    colours: dict[str, str] = {}
    place = "fore"
    for word in text.split():
        if word == "on":
            place = "ground"
        elif word in ATTRIBUTES:
            attributes.add(word)
        elif not (
            word == "default" or word in ANSI_COLOURS or re.fullmatch("#[0-9a-fA-F]{6}", word)
        ):
            raise ValueError(f"{word!r} is no attribute and no colour (#rrggbb, red, bright_red)")
        elif place in colours:
            raise ValueError(f"{word!r} is a second colour")
        else:
            colours[place] = word
    return Paint(colours.get("fore"), colours.get("ground"), frozenset(attributes))


def available(folders: Sequence[Path] = ()) -> tuple[str, ...]:
    """Names that `load` takes: the shipped ones first, then the files in `folders` by name."""
    own = {path.stem for folder in folders if folder.is_dir() for path in folder.glob("*.toml")}
    return (*SHIPPED, *sorted(own - set(SHIPPED)))


def load(name: str, folders: Sequence[Path] = ()) -> Theme:
    """The theme of that name; a user's file stands above a shipped one. Raises ThemeError."""
    return _load(name, folders, ())


def _load(name: str, folders: Sequence[Path], above: tuple[Path, ...]) -> Theme:
    path = _find(name, folders, above)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(f"{path}: is no readable theme ({error})") from None
    base = None
    if "base" in table:
        base = _load(_text(path, table, "base"), folders, (*above, path))
    return _theme(path, table, base)


def _find(name: str, folders: Sequence[Path], above: tuple[Path, ...]) -> Path:
    for folder in (*folders, Path(__file__).parent):
        path = folder / f"{name}.toml"
        if path not in above and path.is_file():
            return path
    names = available(folders)
    hint = nearest(name, names)
    where = f"{above[-1]}: base " if above else ""
    raise ThemeError(f"{where}no theme {name!r}{hint or ' (there are ' + ', '.join(names) + ')'}")


def _theme(path: Path, table: dict[str, object], base: Theme | None) -> Theme:
    for key in table:
        if key not in ("base", "colours", "dark", "styles"):
            raise ThemeError(f"{path}: unknown key {key!r} (base, colours, dark, [styles])")
    colours = table.get("colours", base.colours if base else "rgb")
    if colours not in get_args(Colours):
        raise ThemeError(f"{path}: colours must be rgb, ansi or none, not {colours!r}")
    dark = table.get("dark", base.dark if base else True)
    if not isinstance(dark, bool):
        raise ThemeError(f"{path}: dark must be true or false, not {dark!r}")
    paints = {**(base.paints if base else {}), **_paints(path, table.get("styles", {}))}
    missing = [token for token in TOKENS if token not in paints]
    if missing:
        raise ThemeError(f'{path}: no style for {", ".join(missing)}; base = "dark" fills the rest')
    return Theme(path.stem, colours, dark, MappingProxyType(paints))  # type: ignore[arg-type]


def _paints(path: Path, styles: object) -> dict[str, Paint]:
    if not isinstance(styles, dict):
        raise ThemeError(f"{path}: styles must be a table: [styles]")
    paints = {}
    for token in styles:
        if token not in TOKENS:
            raise ThemeError(f"{path}: no style token {token!r}{nearest(token, TOKENS)}")
        try:
            paints[token] = parse_paint(_text(path, styles, token))
        except ValueError as error:
            raise ThemeError(f"{path}: {token}: {error}") from None
    return paints


def _text(path: Path, table: Mapping[str, object], key: str) -> str:
    value = table[key]
    if not isinstance(value, str):
        raise ThemeError(f"{path}: {key} must be text, not {value!r}")
    return value
