"""Requests of a plugin to the user's model, through ``ctx.llm``.

Provider, model, agent and auth profile are the user's unless ``plugins.entries.<key>.llm`` in ``config.yaml`` allows
the plugin to override them; an override that is not allowed raises `PluginLlmTrustError`. An empty string counts as no
override. The host's own classes are those of ``agent.plugin_llm``.
"""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, Protocol, TypedDict

from hermes_sdk.api.base import host_dataclass

__all__ = [
    "LlmImageDataInput",
    "LlmImageUrlInput",
    "LlmInput",
    "LlmTextInput",
    "PluginLlm",
    "PluginLlmAudit",
    "PluginLlmCompleteResult",
    "PluginLlmImageInput",
    "PluginLlmStructuredResult",
    "PluginLlmTextInput",
    "PluginLlmTrustError",
    "PluginLlmUsage",
]


class PluginLlmTrustError(PermissionError):
    """The configuration does not allow an override. Catch PermissionError to avoid importing the host's class."""


class LlmTextInput(TypedDict):
    """A piece of text.

    Attributes:
        type: Always ``text``.
        text: The text.
    """

    type: Literal["text"]
    text: str


class LlmImageDataInput(TypedDict):
    """An image as bytes.

    Attributes:
        type: Always ``image``.
        data: Content of the file.
        mime_type: ``image/png`` when absent.
        file_name: Name of the file.
    """

    type: Literal["image"]
    data: bytes
    mime_type: NotRequired[str]
    file_name: NotRequired[str]


class LlmImageUrlInput(TypedDict):
    """An image by URL.

    Attributes:
        type: Always ``image``.
        url: The provider loads the image from it.
    """

    type: Literal["image"]
    url: str


@host_dataclass
class PluginLlmTextInput:
    """A piece of text, as an object of the host.

    Attributes:
        text: The text.
        type: Always ``text``.
    """

    text: str
    type: str = "text"


@host_dataclass
class PluginLlmImageInput:
    """An image as bytes or by URL, as an object of the host.

    Attributes:
        data: Content of the file.
        url: URL from which the provider loads the image; used without ``data``.
        mime_type: MIME type of ``data``.
        file_name: Name of the file.
        type: Always ``image``.
    """

    data: bytes | None = None
    url: str | None = None
    mime_type: str = "image/png"
    file_name: str = ""
    type: str = "image"


LlmInput = LlmTextInput | LlmImageDataInput | LlmImageUrlInput | PluginLlmTextInput | PluginLlmImageInput
"""One block of the input of a structured request: a mapping, or an object of the host's class of the same name."""


class PluginLlmAudit(TypedDict):
    """Origin of a request. Missing values are empty strings.

    Attributes:
        plugin_id: Key of the plugin.
        purpose: Purpose of the request.
        profile: The auth profile.
        schema_name: Name of the schema, if any.
    """

    plugin_id: str
    purpose: str
    profile: str
    schema_name: NotRequired[str]


class PluginLlmUsage(Protocol):
    """Token usage of a request.

    Attributes:
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        total_tokens: Sum of both.
        cache_read_tokens: Tokens read from a cache.
        cache_write_tokens: Tokens written to a cache.
        cost_usd: Always None so far.
    """

    input_tokens: int
    output_tokens: int
    total_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float | None


class PluginLlmCompleteResult(Protocol):
    """The answer to `PluginLlm.complete`.

    Attributes:
        text: The model's text.
        provider: The provider that was used, or ``auto``.
        model: The model that answered.
        agent_id: The ``agent_id`` of the request, or ``default``.
        usage: Token usage of the request.
        audit: Origin of the request.
    """

    text: str
    provider: str
    model: str
    agent_id: str
    usage: PluginLlmUsage
    audit: PluginLlmAudit


class PluginLlmStructuredResult(Protocol):
    """The answer to `PluginLlm.complete_structured`.

    Attributes:
        text: The model's text.
        provider: The provider that was used, or ``auto``.
        model: The model that answered.
        agent_id: The ``agent_id`` of the request, or ``default``.
        usage: Token usage of the request.
        parsed: The JSON value in the text; None without one, or if JSON was not requested.
        content_type: ``json`` if ``parsed`` was read from the text, else ``text``.
        audit: Origin of the request.
    """

    text: str
    provider: str
    model: str
    agent_id: str
    usage: PluginLlmUsage
    parsed: Any | None
    content_type: str
    audit: PluginLlmAudit


class PluginLlm(Protocol):
    """Requests to the user's model, outside the conversation."""

    def complete(
        self,
        messages: list[dict[str, Any]],
        *,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
        task: str | None = None,
    ) -> PluginLlmCompleteResult:
        """Send messages and wait for the answer.

        It blocks a running event loop too. The host logs plugin, provider, model, purpose and tokens.

        Args:
            messages: Messages of the OpenAI chat API; sent unchanged.
            provider: Needs ``allow_provider_override``; by default the user's.
            model: Needs ``allow_model_override``; by default the user's.
            temperature: The temperature.
            max_tokens: Maximum tokens of the answer; not sent to most providers.
            timeout: In seconds; 30 by default.
            agent_id: Only copied to the result; needs ``allow_agent_id_override``.
            profile: An auth profile, sent as metadata; needs ``allow_profile_override``.
            purpose: Purpose of the request, for the log.
            task: An auxiliary task of the plugin, whose provider and model are used; the host's need
                ``allow_task_override``. Since 0.20.1.

        Raises:
            PluginLlmTrustError: The configuration does not allow an override.
            RuntimeError: No provider is configured.
        """
        ...

    def complete_structured(
        self,
        *,
        instructions: str,
        input: Sequence[LlmInput],
        json_schema: Any | None = None,
        json_mode: bool = False,
        schema_name: str | None = None,
        system_prompt: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
        task: str | None = None,
    ) -> PluginLlmStructuredResult:
        """Send instructions with text and images, and wait for an answer that may be JSON.

        The arguments from ``provider`` on are those of `complete`.

        Args:
            instructions: Not empty.
            input: At least one block.
            json_schema: The JSON Schema of the answer; requests JSON.
            json_mode: Whether to request JSON without a schema.
            schema_name: Name of the schema, for the model.
            system_prompt: A system message.
            task: See `complete`. Since 0.20.1.

        Raises:
            PluginLlmTrustError: The configuration does not allow an override.
            RuntimeError: No provider is configured.
            ValueError: The instructions or the input are invalid, or the answer does not match the schema (checked only
                if ``jsonschema`` is installed).
            jsonschema.SchemaError: The schema is invalid, if ``jsonschema`` is installed.
        """
        ...

    async def acomplete(
        self,
        messages: list[dict[str, Any]],
        *,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
        task: str | None = None,
    ) -> PluginLlmCompleteResult:
        """Send messages and await the answer, like `complete`. Nothing is logged.

        Args:
            task: See `complete`. Since 0.20.1.
        """
        ...

    async def acomplete_structured(
        self,
        *,
        instructions: str,
        input: Sequence[LlmInput],
        json_schema: Any | None = None,
        json_mode: bool = False,
        schema_name: str | None = None,
        system_prompt: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        timeout: float | None = None,
        agent_id: str | None = None,
        profile: str | None = None,
        purpose: str | None = None,
        task: str | None = None,
    ) -> PluginLlmStructuredResult:
        """Send instructions and await the answer, like `complete_structured`. Nothing is logged.

        Args:
            task: See `complete`. Since 0.20.1.
        """
        ...
