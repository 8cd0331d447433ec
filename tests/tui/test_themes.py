"""Themes: all can be read, by everyone, on every ground; and what a wrong file gets."""

import pytest
from rich.color import Color, ColorSystem

from evaltui.themes import GROUNDS, SHIPPED, TOKENS, Paint, ThemeError, available, load, parse_paint

COLOURED = ("dark", "light")
READ = [token for token in TOKENS if token not in (*GROUNDS, "border")]


def luminance(colour: str) -> float:
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(paint: Paint) -> float:
    """WCAG contrast ratio of a paint."""
    assert paint.fore is not None
    assert paint.ground is not None
    darker, lighter = sorted((luminance(paint.fore), luminance(paint.ground)))
    return (lighter + 0.05) / (darker + 0.05)


def with_256_colours(paint: Paint) -> Paint:
    def nearest(colour: str | None) -> str:
        assert colour is not None
        return Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex

    return Paint(nearest(paint.fore), nearest(paint.ground), paint.attributes)


@pytest.mark.parametrize("ground", [None, *GROUNDS])
@pytest.mark.parametrize("name", COLOURED)
def test_all_text_can_be_read_on_every_ground(name, ground):
    theme = load(name)
    poor = {token: round(contrast(theme.paint(token, ground)), 2) for token in READ}
    assert {token: ratio for token, ratio in poor.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("name", COLOURED)
def test_all_text_can_be_read_where_there_are_256_colours(name):
    theme = load(name)
    poor = {token: contrast(with_256_colours(theme.paint(token))) for token in READ}
    assert {token: ratio for token, ratio in poor.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("name", COLOURED)
def test_lines_can_be_seen(name):
    assert contrast(load(name).paint("border")) >= 3


def test_ansi_leaves_the_ground_to_the_terminal_and_mono_all_colours():
    for token in TOKENS:
        assert load("ansi").paint(token).ground == "default"
        assert load("mono").paint(token).fore == "default"


def test_what_must_stand_out_does_so_without_colour():
    mono = load("mono")
    plain = mono.paint("text").attributes
    for token in ("fail", "error", "warn", "accent", "focus", "key", "off", "field"):
        assert mono.paint(token).attributes != plain, token
    grounds = [mono.paint("text", ground) for ground in (None, *GROUNDS)]
    assert len(set(grounds)) == len(grounds)


def test_a_ground_that_is_one_colour_takes_all_others_away():
    ansi = load("ansi")
    assert ansi.paint("fail", "cursor") == ansi.paint("ok", "cursor")
    dark = load("dark")
    assert dark.paint("fail", "cursor").fore == dark.paint("fail").fore


@pytest.mark.parametrize(
    ("text", "paint"),
    [
        ("bold #f0803c on #11151a", Paint("#f0803c", "#11151a", frozenset({"bold"}))),
        ("on bright_red", Paint(None, "bright_red")),
        ("default reverse", Paint("default", None, frozenset({"reverse"}))),
        ("", Paint()),
    ],
)
def test_a_paint_is_attributes_colour_and_ground(text, paint):
    assert parse_paint(text) == paint


@pytest.mark.parametrize(
    ("text", "says"),
    [("blod red", "'blod'"), ("#12345", "'#12345'"), ("red blue", "'blue' is a second colour")],
)
def test_a_wrong_paint_names_the_word(text, says):
    with pytest.raises(ValueError, match=says):
        parse_paint(text)


def test_a_users_theme_stands_on_a_shipped_one(tmp_path):
    (tmp_path / "mine.toml").write_text('base = "light"\n[styles]\nfail = "bold red"\n')
    mine = load("mine", [tmp_path])
    assert mine.name == "mine"
    assert mine.paint("fail").fore == "red"
    assert mine.paint("ok") == load("light").paint("ok")
    assert mine.dark is False
    assert available([tmp_path, tmp_path / "none"]) == (*SHIPPED, "mine")


def test_a_users_file_may_change_a_shipped_theme_of_the_same_name(tmp_path):
    (tmp_path / "dark.toml").write_text('base = "dark"\n[styles]\nfail = "bold red"\n')
    assert load("dark", [tmp_path]).paint("fail").fore == "red"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[styles]\nfial = "red"', "no style token 'fial'; did you mean 'fail'?"),
        ('[styles]\nfail = "rde"', "fail: 'rde' is no attribute and no colour"),
        ("[styles]\nfail = 3", "fail must be text, not 3"),
        ('[styles]\nfail = "red"', 'no style for .*base = "dark" fills the rest'),
        ('base = "dakr"', "base no theme 'dakr'; did you mean 'dark'?"),
        ('base = "mine"', "no theme 'mine'"),
        ('colour = "rgb"', "unknown key 'colour'"),
        ('base = "dark"\ncolours = "neon"', "colours must be rgb, ansi or none, not 'neon'"),
        ('base = "dark"\ndark = "yes"', "dark must be true or false, not 'yes'"),
        ('styles = "x"', "styles must be a table"),
        ("x = ", "is no readable theme"),
    ],
)
def test_a_wrong_theme_names_the_file_and_the_way_out(tmp_path, text, says):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ThemeError, match=says) as caught:
        load("mine", [tmp_path])
    assert str(tmp_path / "mine.toml") in str(caught.value)


def test_a_theme_that_is_not_there_names_the_nearest():
    with pytest.raises(ThemeError, match="no theme 'drak'; did you mean 'dark'"):
        load("drak")
    with pytest.raises(ThemeError, match="there are dark, light, ansi, mono"):
        load("zzz")
