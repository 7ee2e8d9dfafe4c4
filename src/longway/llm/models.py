"""Which models a server has."""

from __future__ import annotations

from longway.errors import EngineError, MissingExtra, SettingError
from longway.llm.secret import Secret, find_key


def models_of(base_url: str, *, api_key: str | None = None, timeout: float = 10.0) -> list[str]:
    """The names of the models that a server lists, in its order."""
    try:
        from openai import OpenAI, OpenAIError
    except ImportError:
        raise MissingExtra("openai", extra="served", purpose="Asking a served model") from None
    if "@" in base_url:  # a password in the address: it would end up in messages
        raise SettingError(
            "The server was not asked for its models: its address holds a password. The model's name was expected. "
            "Name it: --engine served:MODEL."
        )
    key = Secret(api_key) if api_key else find_key(base_url)
    try:
        with OpenAI(
            base_url=base_url, api_key=key.reveal() or "none", timeout=timeout, max_retries=1
        ) as client:
            return [model.id for model in client.models.list()]
    except (OpenAIError, ValueError) as error:
        raise EngineError(
            f"{base_url} does not say which models it has: {key.hide(str(error)).rstrip('.')}. "
            "A list of models was expected. Is the server running? Else name one: --engine served:MODEL."
        ) from None
