"""In which environment variables a provider's key is looked for: LiteLLM knows, and takes seconds to import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_API_BASE", "AZURE_API_VERSION", "AZURE_API_KEY"),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    "custom_openai": ("OPENAI_API_KEY",),
    "dashscope": ("DASHSCOPE_API_KEY",),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "gemini": ("GEMINI_API_KEY|GOOGLE_API_KEY",),
    "groq": ("GROQ_API_KEY",),
    "hosted_vllm": ("HOSTED_VLLM_API_KEY",),
    "huggingface": ("HUGGINGFACE_API_KEY",),
    "llamafile": ("LLAMAFILE_API_KEY",),
    "lm_studio": ("LM_STUDIO_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "together_ai": ("TOGETHERAI_API_KEY",),
}
"""All of a provider's are needed; of several with a | between them, any one."""

OWN_SERVERS: Final = ("hosted_vllm", "llamafile", "lm_studio")
"""Servers of one's own: most want no key, and all an --api-base."""


def key_state(model: str, environment: Mapping[str, str]) -> str:
    """Whether what a model needs is set, by the variables' names and never by what is in them.

    Args:
        model: Its full name.
        environment: ``os.environ``.

    Returns:
        ``OPENAI_API_KEY set``, ``OPENAI_API_KEY not set``, ``none needed``, or ``?`` for a provider unknown here.
    """
    provider, _, rest = model.partition("/")
    if (provider in ("local", "sim") and rest) or provider in OWN_SERVERS:
        return "none needed"
    names = KEYS.get(provider) if rest else None
    if names is None:
        return "?"
    found = {either: next(filter(environment.get, either.split("|")), None) for either in names}
    missing = [either.partition("|")[0] for either, name in found.items() if name is None]
    return f"{', '.join(missing)} not set" if missing else f"{', '.join(name for name in found.values() if name)} set"
