"""Settings: what is in force, where it comes from, and what a wrong entry gets."""

from pathlib import Path

import pytest

from evaltui import settings
from evaltui.settings import Settings, edited, load

ACTIONS = ("cell.cancel", "set.resume")


def loaded(tmp_path: Path, text: str = "", **environ: str) -> settings.Loaded:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, environ, ACTIONS)


def origins(found: settings.Loaded) -> dict[str, str]:
    return {each.name: each.origin for each in found.effective}


def test_without_a_file_every_setting_is_its_default(tmp_path):
    found = load(tmp_path / "none.toml", {}, ACTIONS)
    assert found.settings == Settings()
    assert found.problems == ()
    assert set(origins(found).values()) == {"default"}
    assert [each.name for each in found.effective] == list(settings.SETTINGS)


def test_every_setting_can_stand_in_the_file(tmp_path):
    found = loaded(
        tmp_path,
        'theme = "light"\nglyphs = "ascii"\nmouse = false\ntitle = false\nprogress = "on"\n'
        'bell = true\nnotify = true\nmodels = ["openai/a", "b"]\n'
        '[keys]\n"set.resume" = ["R", "f5"]\n',
    )
    assert found.problems == ()
    assert found.settings == Settings(
        "light", "ascii", "off", False, "on", True, True, ("openai/a", "b"),
        {"set.resume": ("R", "f5")},
    )  # fmt: skip
    assert set(origins(found).values()) == {str(tmp_path / "config.toml")}


def test_a_variable_stands_above_the_file_and_says_so(tmp_path):
    found = loaded(
        tmp_path, 'theme = "light"', EVALTUI_THEME="mono", EVALTUI_BELL="on", EVALTUI_MODELS="a, b"
    )
    assert (found.settings.theme, found.settings.bell) == ("mono", True)
    assert found.settings.models == ("a", "b")
    assert origins(found)["theme"] == "EVALTUI_THEME"
    assert origins(found)["title"] == "default"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('tehme = "dark"', "unknown setting 'tehme'; did you mean 'theme'?"),
        ('glyphs = "emoji"', "glyphs must be auto, unicode or ascii, not 'emoji'"),
        ('bell = "loud"', "bell must be true or false, not 'loud'"),
        ("mouse = 3", "mouse must be auto, on or off, not 3"),
        ('models = "a"', "models must be a list of model names"),
        ('theme = "../x"', "theme must be the name of a theme, not '../x'"),
        ("keys = 1", "keys must be a table: [keys]"),
        ('[keys]\n"cell.cancle" = "x"', "no action 'cell.cancle'; did you mean 'cell.cancel'?"),
        ('[keys]\n"cell.cancel" = 3', "cell.cancel must be a key or a list of keys"),
        ("theme = ", "is not valid TOML"),
    ],
)
def test_a_wrong_entry_keeps_its_default_and_names_file_and_way_out(tmp_path, text, says):
    found = loaded(tmp_path, text)
    assert found.settings == Settings()
    assert len(found.problems) == 1
    assert found.problems[0].startswith(str(tmp_path / "config.toml"))
    assert says in found.problems[0]


def test_one_wrong_entry_does_not_take_the_others_with_it(tmp_path):
    found = loaded(tmp_path, 'theme = "light"\nglyphs = 1\n', EVALTUI_MOUSE="perhaps")
    assert found.settings.theme == "light"
    assert found.problems[1] == "EVALTUI_MOUSE must be auto, on or off, not 'perhaps'"


def test_a_file_that_is_no_text_is_a_problem_and_not_a_crash(tmp_path):
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe")
    assert "is not UTF-8" in load(path, {}).problems[0]
    assert "cannot be read" in load(tmp_path, {}).problems[0]


def test_keys_without_quotes_mean_the_same(tmp_path):
    found = loaded(tmp_path, '[keys]\ncell.cancel = "X"\nset.resume = []')
    assert found.settings.keys == {"cell.cancel": ("X",), "set.resume": ()}


def test_a_change_keeps_comments_and_the_rest():
    source = '# mine\ntheme = "dark"  # at night\n\n[keys]\n"set.resume" = "R"\n'
    text = edited(source, "theme", "light")
    assert text == source.replace('"dark"', '"light"')
    assert edited("", "bell", True) == "bell = true\n"
    assert edited(source, "models", ("a",)) == source.replace("\n\n[", '\nmodels = ["a"]\n\n[')


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [("tehme", "x", "did you mean 'theme'"), ("bell", "x", "true or false"), ("keys", "x", "keys")],
)
def test_a_change_that_does_not_fit_is_refused(name, value, says):
    with pytest.raises(ValueError, match=says):
        edited("", name, value)


def test_a_change_to_a_broken_file_is_refused():
    with pytest.raises(ValueError, match="not valid TOML"):
        edited("theme = ", "theme", "dark")


def test_the_config_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings.config_path() == tmp_path / "evaltui" / "config.toml"
    assert settings.theme_folder() == tmp_path / "evaltui" / "themes"
