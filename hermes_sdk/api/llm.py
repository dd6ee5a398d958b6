"""The model of the user, as ``ctx.llm`` offers it to a plugin.

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
    """An override that the configuration does not allow; catch it as PermissionError without the host."""


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
        data: The image file's content.
        mime_type: ``image/png`` when absent.
        file_name: A name for it.
    """

    type: Literal["image"]
    data: bytes
    mime_type: NotRequired[str]
    file_name: NotRequired[str]


class LlmImageUrlInput(TypedDict):
    """An image by its address.

    Attributes:
        type: Always ``image``.
        url: Where the provider finds it.
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
    """An image as bytes or by its address, as an object of the host.

    Attributes:
        data: The image file's content.
        url: Where the provider finds it; used without ``data``.
        mime_type: What ``data`` is.
        file_name: A name for it.
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
    """Who asked for what; empty strings where nothing was given.

    Attributes:
        plugin_id: The key of the plugin.
        purpose: What the request was for.
        profile: The auth profile.
        schema_name: The name of the schema; in structured requests that have one.
    """

    plugin_id: str
    purpose: str
    profile: str
    schema_name: NotRequired[str]


class PluginLlmUsage(Protocol):
    """What a request cost.

    Attributes:
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        total_tokens: Both together.
        cache_read_tokens: Tokens sent that came from the provider's cache.
        cache_write_tokens: Tokens that went into it.
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
        model: The name of the model that answered.
        agent_id: The agent given, or ``default``.
        usage: What it cost.
        audit: Who asked for what.
    """

    text: str
    provider: str
    model: str
    agent_id: str
    usage: PluginLlmUsage
    audit: PluginLlmAudit


class PluginLlmStructuredResult(Protocol):
    """The answer to `PluginLlm.complete_structured`; on the host no subclass of the plain result.

    Attributes:
        text: The model's text.
        provider: The provider that was used, or ``auto``.
        model: The name of the model that answered.
        agent_id: The agent given, or ``default``.
        usage: What it cost.
        parsed: The JSON value in the text; None when none was asked for or the text holds none.
        content_type: ``json`` when ``parsed`` was read from the text, else ``text``.
        audit: Who asked for what.
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

        It may be called inside a running event loop, which it then blocks. It leaves a line in the log with plugin,
        provider, model, purpose and tokens.

        Args:
            messages: Messages of the OpenAI chat API; sent as they are.
            provider: Another provider than the user's; needs ``allow_provider_override``.
            model: Another model; needs ``allow_model_override``.
            temperature: The sampling temperature.
            max_tokens: A limit of the answer, in tokens; most providers never see it.
            timeout: In seconds; 30 by default.
            agent_id: Returned in the result and nothing else; needs ``allow_agent_id_override``.
            profile: An auth profile, sent as metadata; needs ``allow_profile_override``.
            purpose: What the request is for, for the log.
            task: A side job of the plugin, whose provider and model are used; one of the host needs
                ``allow_task_override``. Since 0.20.1.

        Raises:
            PluginLlmTrustError: An override that the configuration does not allow.
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
            instructions: What to do with the input; not empty.
            input: At least one block.
            json_schema: The JSON Schema of the answer; asks for JSON.
            json_mode: Ask for JSON without a schema.
            schema_name: A name for the schema, for the model.
            system_prompt: A system message.
            task: See `complete`. Since 0.20.1.

        Raises:
            PluginLlmTrustError: An override that the configuration does not allow.
            RuntimeError: No provider is configured.
            ValueError: Instructions, input or a block are unfit; or the answer does not match the schema, which the
                host can only tell where ``jsonschema`` is installed. Without it the answer is accepted.
            jsonschema.SchemaError: The schema itself is wrong, where ``jsonschema`` is installed.
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
        """`complete` for coroutines. It leaves no line in the log.

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
        """`complete_structured` for coroutines. It leaves no line in the log.

        Args:
            task: See `complete`. Since 0.20.1.
        """
        ...
