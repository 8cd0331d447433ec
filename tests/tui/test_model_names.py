"""Names of models while one is typed, and what stands in the way of calling one."""

from pathlib import Path

import inspect_ai
import pytest

from evaltui.model_keys import BY_SERVICE, KEYS
from evaltui.tui.environment import set_variables
from evaltui.tui.model_names import check_name, obstacle, offers

PROVIDERS = Path(inspect_ai.__file__).parent / "model" / "_providers"
KNOWN = ("openai/gpt-5", "openai/gpt-5-mini", "anthropic/sonnet-5")


@pytest.mark.parametrize(
    ("text", "first", "common"),
    [
        ("openai/gpt-5", ("openai/gpt-5-mini",), "openai/gpt-5-mini"),
        ("openai/gpt", ("openai/gpt-5", "openai/gpt-5-mini"), "openai/gpt-5"),
        ("OPENAI/g", ("openai/gpt-5", "openai/gpt-5-mini"), "openai/gpt-5"),
        ("gro", ("grok/", "groq/"), "gro"),
        ("mockllm", ("mockllm/",), "mockllm/"),
        ("nothing like it", (), ""),
    ],
)
def test_known_models_complete_a_name_then_providers(text, first, common):
    found = offers(text, KNOWN)
    assert found.candidates[: len(first)] == first
    assert found.common == common


def test_the_users_models_come_before_providers_and_stand_once():
    found = offers("o", (*KNOWN, *KNOWN))
    assert found.candidates[:2] == ("openai/gpt-5", "openai/gpt-5-mini")
    assert len(set(found.candidates)) == len(found.candidates)
    assert "openrouter/" in found.candidates


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "name a model"),
        ("gpt-5", "such as openai/gpt-5"),
        ("openai", "such as openai/name"),
        ("openai/", "lacks a part"),
        ("/gpt", "lacks a part"),
        ("openai/gpt 5", "no spaces"),
        ("openai/\x1b[31mred", "no control characters"),
    ],
)
def test_what_is_no_name_of_a_model_says_how_it_is_written(name, says):
    with pytest.raises(ValueError, match=says):
        check_name(name)


@pytest.mark.parametrize(
    ("name", "variables", "says"),
    [
        ("openai/gpt-5", (), "OPENAI_API_KEY is not set"),
        ("openai/gpt-5", ("OPENAI_API_KEY",), None),
        ("anthropic/sonnet-5", ("ANTHROPIC_AUTH_TOKEN",), None),
        ("google/gemini", (), "GOOGLE_API_KEY is not set (nor GEMINI_API_KEY"),
        ("openai/azure/gpt-5", (), None),
        ("openai-api/deep-think/x", (), "DEEP_THINK_API_KEY is not set"),
        ("mockllm/x", (), None),
        ("vllm/x", (), None),
        ("opnai/gpt-5", (), "did you mean 'openai'"),
        ("housemade/x", (), "a package of yours must bring it"),
    ],
)
def test_a_missing_key_is_named_by_its_variable(name, variables, says):
    found = obstacle(name, variables)
    assert (found is None) if says is None else (says in str(found))


def test_every_provider_of_inspect_is_known():
    registered = set()
    for line in (PROVIDERS / "providers.py").read_text().splitlines():
        if line.startswith('@modelapi(name="'):
            registered.add(line.split('"')[1])
    assert registered - {"none"} <= set(KEYS)
    assert set(KEYS) - registered == {"sim", "replay"}, "ours, beside Inspect's"


@pytest.mark.parametrize("provider", [name for name, keys in KEYS.items() if keys])
def test_the_variables_of_a_provider_are_those_that_inspect_reads(provider):
    source = (PROVIDERS / f"{provider.replace('-', '_')}.py").read_text()
    for variable in KEYS[provider]:
        service = variable.removesuffix("_API_KEY")
        by_service = f'service="{service}"'.lower() in source.lower()
        assert variable in source or by_service, variable


def test_services_name_their_own_variable():
    source = (PROVIDERS / "openai_compatible.py").read_text()
    assert 'f"{service_env_name}_API_KEY"' in source
    assert set(KEYS) >= BY_SERVICE


def test_variables_come_from_the_environment_and_the_nearest_dotenv(tmp_path):
    root = tmp_path / "a" / "b"
    root.mkdir(parents=True)
    (tmp_path / ".env").write_text("OUTER=1\n")
    assert set_variables({"HERE": "x", "EMPTY": ""}, root) == {"HERE", "OUTER"}
    (root / ".env").write_text("INNER=secret\nBLANK=\n")
    assert set_variables({}, root) == {"INNER"}
    (root / ".env").write_bytes(b"\xff\xfe\x00")
    assert set_variables({"HERE": "x"}, root) == {"HERE"}
