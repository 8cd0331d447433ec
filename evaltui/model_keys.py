"""Which variable of the environment holds a model provider's key. Pure.

Inspect says so (its `model/_providers`); a test holds the table to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        "azureai": ("AZURE_API_KEY", "AZUREAI_API_KEY"),
        "bedrock": (),
        "cloudflare": ("CLOUDFLARE_API_KEY", "CLOUDFLARE_API_TOKEN"),
        "deepseek": ("DEEPSEEK_API_KEY",),
        "fireworks": ("FIREWORKS_API_KEY",),
        "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_USE_ADC", "VERTEX_API_KEY",
                   "GOOGLE_GENAI_USE_VERTEXAI"),
        "grok": ("XAI_API_KEY", "GROK_API_KEY"),
        "groq": ("GROQ_API_KEY",),
        "hf": (),
        "hf-inference-providers": ("HF_TOKEN",),
        "litellm-proxy": (),
        "llama-cpp-python": (),
        "meta": ("META_API_KEY", "MODEL_API_KEY"),
        "mistral": ("MISTRAL_API_KEY",),
        "mockllm": (),
        "moonshot": ("MOONSHOT_API_KEY",),
        "nnterp": (),
        "ollama": (),
        "openai": ("OPENAI_API_KEY",),
        "openai-api": (),
        "openai-api-completions": (),
        "openrouter": ("OPENROUTER_API_KEY",),
        "perplexity": ("PERPLEXITY_API_KEY",),
        "replay": (),
        "sagemaker": (),
        "sambanova": ("SAMBANOVA_API_KEY",),
        "sglang": (),
        "sim": (),
        "together": ("TOGETHER_API_KEY",),
        "transformer_lens": (),
        "vllm": (),
        "vllm-completions": (),
    }
)  # fmt: skip
"""Provider -> variables of which one must be set; none where it needs none, or finds its own."""

OTHER_DOORS = frozenset({"azure", "bedrock", "vertex"})
"""Second part of a name that asks for another way in (`openai/azure/…`) with other credentials."""

BY_SERVICE = frozenset({"openai-api", "openai-api-completions"})
"""Providers whose second part names the service, and so the variable: `<SERVICE>_API_KEY`."""


def key_variables(model: str) -> tuple[str, ...]:
    """Variables of which one must be set for this model; none where it needs none, or is unknown.

    A name that asks for another way in has other credentials, which are not said here.
    """
    provider, _, rest = model.partition("/")
    service = rest.partition("/")[0]
    if service in OTHER_DOORS:
        return ()
    if provider in BY_SERVICE:
        return (f"{service.upper().replace('-', '_')}_API_KEY",)
    return KEYS.get(provider, ())


SECRETS = frozenset({"api_key", "aws_secret_access_key", "aws_session_token"})
"""Names under which providers take a key among their arguments."""


def key_given(value: Any, model: str = "") -> str | None:
    """Why a key does not belong among these arguments, however deep; None where there is none.

    The sentence names the variable to set in its place, never the key. model: whose they are.
    """
    if isinstance(value, list | tuple):
        return next((said for each in value if (said := key_given(each, model))), None)
    if not isinstance(value, Mapping):
        return None
    model = str(value.get("model") or model)
    for name, inner in value.items():
        if name in SECRETS:
            return _elsewhere(name, model)
        if said := key_given(inner, model):
            return said
    return None


def _elsewhere(name: str, model: str) -> str:
    variables = key_variables(model) if name == "api_key" else (name.upper(),)
    where = f"set {variables[0]}" if variables else "set the variable that the provider documents"
    of = f" of {model}" if model else ""
    return (
        f"{name}{of}: a key does not belong in the set's files; {where} in the environment or in "
        ".env instead"
    )
