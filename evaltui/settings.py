"""User settings: `config.toml` in the user's config folder, `EVALTUI_*` variables above it.

Says what each setting is worth now and where that comes from. A wrong entry never stops anybody:
it keeps its default and becomes a sentence in `problems`. Knows no action and no theme by name:
which keys exist is handed in, so nothing of the screen is imported here. Writes nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

import msgspec

Glyphs = Literal["auto", "unicode", "ascii"]
Switch = Literal["auto", "on", "off"]

PREFIX = "EVALTUI_"
"""`EVALTUI_THEME=light` stands above `theme = "dark"` in the file."""


class Settings(msgspec.Struct, frozen=True):
    """What the user asked for. The fields are the keys of the file."""

    theme: str = "auto"
    glyphs: Glyphs = "auto"
    mouse: Switch = "auto"
    title: bool = True
    progress: Switch = "auto"
    bell: bool = False
    notify: bool = False
    models: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)


HELP: Mapping[str, str] = MappingProxyType(
    {
        "theme": "auto, dark, light, ansi, mono, or the name of a file in themes/",
        "glyphs": "auto, unicode or ascii",
        "mouse": "auto (off over SSH), on or off",
        "title": "set the window title to the set's name",
        "progress": "auto, on or off: progress in the terminal's tab (OSC 9;4)",
        "bell": "ring when the set ends or needs a decision",
        "notify": "desktop notification (OSC 9) when the set ends or needs a decision",
        "models": "model names offered when a model is added",
        "keys": "action = key, or a list of keys; an empty list takes the key away",
    }
)
"""One line for each setting, as `evaltui config` prints it."""

SETTINGS = tuple(HELP)


class Effective(msgspec.Struct, frozen=True):
    """One setting: its value now and its origin (`default`, a variable's name, or the file)."""

    name: str
    value: object
    origin: str


class Loaded(msgspec.Struct, frozen=True):
    """The settings, the file they come from (whether or not it exists), and what was wrong."""

    settings: Settings
    path: Path
    effective: tuple[Effective, ...]
    problems: tuple[str, ...] = ()


class _Wrong(Exception):
    """An entry that cannot be taken; the text says why, after the name of the entry."""


def config_folder() -> Path:
    """The user's config folder for evaltui; it need not exist."""
    import platformdirs

    return Path(platformdirs.user_config_dir("evaltui", appauthor=False))


def config_path() -> Path:
    """Where the settings file is looked for."""
    return config_folder() / "config.toml"


def theme_folder() -> Path:
    """Where the user's own theme files are looked for."""
    return config_folder() / "themes"


def load(path: Path, environ: Mapping[str, str], actions: Collection[str] = ()) -> Loaded:
    """The settings in force. A missing file is an empty one; nothing here raises.

    actions: ids that may stand in `[keys]`; an unknown one is a problem that names the nearest.
    """
    table, problems = _read(path)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name, raw in table.items():
        if name not in HELP:
            problems.append(f"{path}: unknown setting {name!r}{nearest(name, SETTINGS)}")
            continue
        try:
            if name == "keys":
                values[name] = _keys(raw, actions, path, problems)
            else:
                values[name] = _value(name, raw)
            origins[name] = str(path)
        except _Wrong as why:
            problems.append(f"{path}: {name} {why}")
    for name in SETTINGS:
        variable = PREFIX + name.upper()
        if name == "keys" or variable not in environ:
            continue
        try:
            values[name] = _value(name, _from_text(name, environ[variable]))
            origins[name] = variable
        except _Wrong as why:
            problems.append(f"{variable} {why}")
    settings = Settings(**values)
    effective = tuple(
        Effective(name, getattr(settings, name), origins.get(name, "default")) for name in SETTINGS
    )
    return Loaded(settings, path, effective, tuple(problems))


def edited(source: str, name: str, value: str | bool | tuple[str, ...]) -> str:
    """The text of a settings file with one setting changed, comments and layout kept.

    Raises ValueError for an unknown name, a value that does not fit, or a source that is no TOML.
    """
    import tomlkit
    import tomlkit.exceptions

    if name not in HELP or name == "keys":
        raise ValueError(f"unknown setting {name!r}{nearest(name, SETTINGS)}")
    raw = list(value) if isinstance(value, tuple) else value
    try:
        _value(name, raw)
        document = tomlkit.parse(source)
    except _Wrong as why:
        raise ValueError(f"{name} {why}") from None
    except tomlkit.exceptions.ParseError as error:
        raise ValueError(f"the settings file is not valid TOML: {error}") from None
    document[name] = raw
    return tomlkit.dumps(document)


def nearest(name: str, known: Collection[str]) -> str:
    """`; did you mean 'theme'?` for a name close to a known one, else nothing."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8")), []
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        return {}, [f"{path}: cannot be read ({why}), so the defaults are used"]
    except tomllib.TOMLDecodeError as error:
        return {}, [f"{path}: is not valid TOML ({error}), so the defaults are used"]


def _value(name: str, raw: object) -> object:
    match name:
        case "theme":
            return _theme(raw)
        case "glyphs":
            return _choice(raw, get_args(Glyphs))
        case "mouse" | "progress":
            return _choice({True: "on", False: "off"}[raw] if isinstance(raw, bool) else raw,
                           get_args(Switch))  # fmt: skip
        case "models":
            if not isinstance(raw, list) or not all(isinstance(item, str) for item in raw):
                raise _Wrong("must be a list of model names")
            return tuple(raw)
        case _:
            if not isinstance(raw, bool):
                raise _Wrong(f"must be true or false, not {raw!r}")
            return raw


def _theme(raw: object) -> str:
    if not isinstance(raw, str) or not raw or "/" in raw:
        raise _Wrong(f"must be the name of a theme, not {raw!r}")
    return raw


def _choice(raw: object, choices: tuple[str, ...]) -> str:
    if raw not in choices:
        listed = ", ".join(choices[:-1]) + " or " + choices[-1]
        raise _Wrong(f"must be {listed}, not {raw!r}")
    assert isinstance(raw, str)
    return raw


def _from_text(name: str, text: str) -> object:
    if name == "models":
        return [item.strip() for item in text.split(",") if item.strip()]
    if name in ("title", "bell", "notify"):
        words = {"1": True, "true": True, "on": True, "0": False, "false": False, "off": False}
        return words.get(text.strip().lower(), text)
    return text


def _keys(
    raw: object, actions: Collection[str], path: Path, problems: list[str]
) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(raw, dict):
        raise _Wrong("must be a table: [keys]")
    keys: dict[str, tuple[str, ...]] = {}
    for action, given in _flat(raw).items():
        listed = [given] if isinstance(given, str) else given
        if action not in actions:
            problems.append(f"{path}: [keys] no action {action!r}{nearest(action, actions)}")
        elif not isinstance(listed, list) or not all(
            isinstance(key, str) and key for key in listed
        ):
            problems.append(f"{path}: [keys] {action} must be a key or a list of keys")
        else:
            keys[action] = tuple(listed)
    return MappingProxyType(keys)


def _flat(table: Mapping[str, object], above: str = "") -> dict[str, object]:
    """`cell.cancel = "x"` without quotes is a nested table in TOML; both spellings are meant."""
    flat: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{above}{name}.")
        else:
            flat[above + name] = value
    return flat
