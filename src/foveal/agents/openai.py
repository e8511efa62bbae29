"""OpenAI, or a server that speaks like it, as the language model and the encoder of an agent."""

from __future__ import annotations

from typing import Any

from foveal.backends.models.http import HttpEmbedder
from foveal.backends.models.llm import OpenAIModel
from foveal.config import OPENAI_URL, OpenAIAccess, openai_access
from foveal.errors import Invalid


class OpenAIProvider(OpenAIModel):
    """A language model of OpenAI, or of the server that `base_url` or OPENAI_BASE_URL names.

    Without an `api_key`, the one in OPENAI_API_KEY. `options` are those of `OpenAIModel`. Nothing is sent before
    the first question.
    """

    def __init__(
        self, api_key: str | None = None, *, model: str = "gpt-4o-mini", base_url: str | None = None, **options: Any
    ) -> None:
        access = _access(api_key, base_url)
        super().__init__(access.url, model=model, key=access.key, **options)


class OpenAIEmbeddingProvider(HttpEmbedder):
    """An encoder of OpenAI, or of the server that `base_url` or OPENAI_BASE_URL names.

    Without an `api_key`, the one in OPENAI_API_KEY. `options` are those of `HttpEmbedder`. Nothing is sent before
    the first text is encoded.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        model: str = "text-embedding-3-small",
        base_url: str | None = None,
        **options: Any,
    ) -> None:
        access = _access(api_key, base_url)
        super().__init__(access.url, model=model, key=access.key, **options)


def _access(api_key: str | None, base_url: str | None) -> OpenAIAccess:
    known = openai_access()
    access = OpenAIAccess(url=base_url or known.url, key=api_key or known.key)
    if access.key is None and access.url == OPENAI_URL:
        raise Invalid("OpenAI needs a key: pass api_key, or set OPENAI_API_KEY")
    return access
