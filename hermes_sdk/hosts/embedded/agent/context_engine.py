"""Context engines of plugins, and the built-in compressor while there is nothing to compress (G12 to G15)."""

from __future__ import annotations

import copy
import inspect
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hermes_sdk.hosts.embedded.agent.memory import Memory
from hermes_sdk.hosts.embedded.agent.origin import Origin
from hermes_sdk.hosts.embedded.agent.provider_tools import list_methods, read_schema
from hermes_sdk.hosts.embedded.agent.runtime import Runtime
from hermes_sdk.hosts.embedded.agent.settings import API_MODE, Settings
from hermes_sdk.hosts.embedded.providers.context_engines import load
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.hosts.embedded.wording import Wording

_log = logging.getLogger("run_agent")
_BUILTIN = "compressor"
_MIN_CONTEXT_LENGTH = 64_000
_UNSUPPORTED_METHODS = frozenset({"on_turn_complete", "select_context"})
"""Engine methods that Hermes calls since 0.20.2 and the embedded host does not."""
_DEFAULT_SHARE = 0.5
_LEAST_TOKENS = 64_000
_LEAST_SHARE = 0.75
"""Lowest compression threshold, as a share of a context shorter than `_LARGE_CONTEXT`."""
_LARGE_CONTEXT = 512_000
_FALLBACK_SHARE = 0.85
"""Threshold, as a share, where the configured threshold or `_LEAST_TOKENS` exceeds the context."""
_HOST_TEXT_TOKENS = 20_000
"""Upper bound for the tokens of the host's own system prompt and tool definitions."""
_INCOMPRESSIBLE = 7
"""Longest history that the host never compresses: the messages protected at both ends, plus one."""
_MAX_FUTILE_ATTEMPTS = 2
"""Number of consecutive futile attempts after which the host stops compressing."""


class Engine:
    """The context engine of a plugin in one session.

    Args:
        offers_tools: Whether to offer the engine's tools to the model.
    """

    def __init__(
        self, engine: Any, runtime: Runtime, platform: str, origin: Origin | None, *, offers_tools: bool
    ) -> None:
        self._engine = engine
        self._state = runtime.state
        self._behaviour = runtime.behaviour
        self._platform = platform
        self._conversation_id = origin.session_key if origin else None
        self._offers_tools = offers_tools
        self.schemas: list[dict[str, Any]] = []
        """Schemas of the engine's tools."""
        self.last_skip_reason = ""
        """Kind of the last reported reason for not compressing; empty if there is none."""

    @classmethod
    def open(
        cls,
        runtime: Runtime,
        settings: Settings,
        session_id: str,
        platform: str,
        origin: Origin | None,
        *,
        offers_tools: bool = True,
    ) -> Engine | None:
        """Start the engine selected by ``context.engine``; return None for the built-in compressor (G12)."""
        wanted = settings.section("context").get("engine")
        if not wanted or wanted == _BUILTIN:
            return None
        engine = load(str(wanted), runtime.state, runtime.registrations.commands) or cls._copy_registered(
            wanted, runtime
        )
        if engine is None:
            return None
        _refuse_overrides(engine, runtime.state)
        recording = runtime.state.recording
        if recording.active:
            recording.wrap_methods("context_engine", engine, list_methods(engine, "agent.context_engine"))
        opened = cls(engine, runtime, platform, origin, offers_tools=offers_tools)
        opened._start(session_id, settings)
        return opened

    @staticmethod
    def _copy_registered(wanted: Any, runtime: Runtime) -> Any:
        """Return a copy of the engine that a plugin registered under this name, or None."""
        registered = runtime.registrations.context_engine.find(wanted)
        if registered is None:
            _log.warning("Context engine '%s' not found — falling back to built-in compressor", wanted)
            return None
        recording = runtime.state.recording
        if recording.active and runtime.behaviour.engine_clones_itself:
            recording.wrap_methods("context_engine", registered, ["clone_for_agent"])
        return _copy_engine(registered, wanted, runtime)

    def _start(self, session_id: str, settings: Settings) -> None:
        self._engine.update_model(
            model=settings.model,
            context_length=settings.context_length,
            base_url=settings.provider.base_url,
            api_key=settings.api_key,
            provider=settings.provider.name,
            api_mode=API_MODE,
        )
        length = getattr(self._engine, "context_length", 0)
        try:
            require_length(length, settings.model, self._state.wording)
        except ValueError as error:
            if self._state.behaviour.short_contexts_explained:
                raise self._state.unsupported("report that the model's context is too short") from error
            raise
        self.list_tools()
        self._notify(
            "on_session_start",
            session_id,
            hermes_home=str(self._state.home.path),
            platform=self._platform,
            model=settings.model,
            context_length=length,
            conversation_id=self._conversation_id,
        )

    def list_tools(self) -> None:
        """Read the engine's tools into `schemas`."""
        if self._offers_tools:
            self.schemas = list(self._list_schemas())

    def _notify(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Call a method of the engine and swallow its exceptions."""
        try:
            getattr(self._engine, method)(*args, **kwargs)
        except Exception as error:
            self._state.swallow(f"context engine {method}", error)

    def _list_schemas(self) -> Iterator[dict[str, Any]]:
        """Yield the schemas of the engine's tools, except those without a name."""
        for one in self._engine.get_tool_schemas():
            schema = read_schema(one)
            if schema is not None:
                yield schema
            else:
                _log.warning(
                    "Context engine returned a tool schema with no resolvable name; skipping to avoid poisoning the"
                    " request (%r)",
                    one,
                )

    @property
    def tool_names(self) -> frozenset[str]:
        """The names of the engine's tools."""
        return frozenset(schema["name"] for schema in self.schemas if schema.get("name"))

    def call_tool(self, name: str, args: dict[str, Any], messages: list[dict[str, Any]]) -> Any:
        """Run a tool of the engine; exceptions become an error result."""
        try:
            return self._engine.handle_tool_call(name, args, messages=messages)
        except Exception as error:
            self._state.swallow("context engine handle_tool_call", error)
            return json.dumps({"error": f"Context engine tool '{name}' failed: {error}"}, ensure_ascii=False)

    def count_usage(self, usage: Mapping[str, int] | None) -> None:
        """Pass the token counts of a response to the engine."""
        counts = dict(usage or {})
        same = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
        self._engine.update_from_response(
            {
                "prompt_tokens": counts.get("prompt_tokens", 0),
                "completion_tokens": counts.get("output_tokens", 0),
                "total_tokens": counts.get("total_tokens", 0),
                **{name: counts.get(name, 0) for name in same},
            }
        )

    @property
    def occupancy(self) -> tuple[int, int]:
        """The context length, and the prompt tokens of the last request."""
        return self._engine.context_length, self.last_prompt_tokens

    @property
    def last_prompt_tokens(self) -> int:
        """The prompt tokens of the last request according to the engine."""
        return int(self._engine.last_prompt_tokens)

    def needs_compression(self, tokens: int) -> bool:
        """Return whether the engine wants to compress at this number of tokens."""
        return bool(self._engine.should_compress(tokens))

    def waits_for_usage(self, tokens: int) -> bool:
        """Return whether the engine defers compression until the provider reports the usage of the request."""
        waits = getattr(self._engine, "should_defer_preflight_to_real_usage", None)
        return waits is not None and bool(waits(tokens))

    def require_unpruned(self, messages: list[dict[str, Any]], tokens: int) -> None:
        """Let the engine prune tool results instead of compressing.

        Raises:
            NotSupported: The engine pruned results.
        """
        try:
            pruned, count = self._engine.prune_tool_results_only(messages, current_tokens=tokens)
        except Exception as error:
            self._state.swallow("context engine prune_tool_results_only", error)
            return
        if count and pruned is not messages:
            raise self._state.unsupported("let a context engine prune the results of tools")

    def explain_skip(self, tokens: int, attempts: int | None = None) -> str:
        """Return why the engine does not compress at this number of tokens; empty if the request is short enough.

        If the engine would compress, the reason is the number of `attempts` that the turn has used up.
        """
        try:
            wants, reason = self._engine.should_compress_info(tokens)
        except Exception as error:
            self._state.swallow("context engine should_compress_info", error)
            return ""
        if wants and not reason and attempts is not None and self._behaviour.compressions_await_usage:
            return f"attempts_exhausted:{attempts}"
        return str(reason or "")

    def require_short(self, messages: list[dict[str, Any]], own_tokens: int, tokens: int, *, counted: bool) -> None:
        """Require that the history is short enough for the next turn; short histories are not checked.

        Raises:
            NotSupported: The host would compress the history, or report why it does not.
        """
        engine = self._engine
        is_large = own_tokens >= engine.threshold_tokens
        if len(messages) <= engine.protect_first_n + engine.protect_last_n + 1 and not is_large:
            return
        if not counted and self.waits_for_usage(tokens):
            return
        if not self._behaviour.compressions_await_usage and 0 <= engine.last_prompt_tokens < tokens:
            engine.last_prompt_tokens = tokens
        if self.needs_compression(tokens):
            raise self._state.unsupported("compress a history before a turn")
        if self._behaviour.engine_consulted:
            if self.explain_skip(tokens):
                raise self._state.unsupported("warn that a conversation is too long, and not compressed")
            self.last_skip_reason = ""
            self._refuse_preflight_compression(messages)

    def _refuse_preflight_compression(self, messages: list[dict[str, Any]]) -> None:
        """Require that the engine does not compress the history before the turn, whatever its length.

        Raises:
            NotSupported: The engine wants to compress.
        """
        try:
            wanted = bool(self._engine.should_compress_preflight(messages))
        except Exception as error:
            self._state.swallow("context engine should_compress_preflight", error)
            return
        if wanted:
            raise self._state.unsupported("compress a history before a turn")

    def format_status(self, phase: str, text: str, tokens: int, **about: Any) -> str:
        """Return the status message for a compression; the engine can replace it, or suppress it with an empty one."""
        if not self._behaviour.engine_consulted:
            return text
        if not self._engine.emit_automatic_compaction_status:
            return ""
        worded = self._engine.get_automatic_compaction_status_message(
            phase=phase, default_message=text, approx_tokens=tokens, **about
        )
        return "" if worded is None else str(worded).strip()

    @property
    def threshold(self) -> int:
        """The number of tokens from which the engine compresses."""
        return int(self._engine.threshold_tokens or 0)

    @property
    def context_length(self) -> int:
        """The length of the model's context according to the engine."""
        return int(self._engine.context_length or 0)

    def compress(self, messages: list[dict[str, Any]], tokens: int, memory_context: str) -> Any:
        """Return the compressed messages; the engine receives only arguments that its method declares (change 4).

        Args:
            messages: The history.
            tokens: The approximate number of tokens in it.
            memory_context: Text that the memory provider wants to preserve.
        """
        self.last_skip_reason = ""
        kwargs: dict[str, Any] = {"current_tokens": tokens, "focus_topic": None, "force": False}
        kwargs |= {"memory_context": memory_context} if memory_context else {}
        parameters = inspect.signature(self._engine.compress).parameters
        if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
            kwargs = {name: value for name, value in kwargs.items() if name in parameters}
        return self._engine.compress(messages, **kwargs)

    def await_usage(self, tokens: int) -> None:
        """Mark the engine as waiting for real usage after a compression; `tokens` estimates what remains."""
        engine = self._engine
        engine.last_compression_rough_tokens = tokens
        engine.last_prompt_tokens = -1
        engine.last_completion_tokens = 0
        engine.awaiting_real_usage_after_compression = True

    @property
    def is_awaiting_usage(self) -> bool:
        """Return whether no usage has arrived since the last compression; the engine clears the flag itself."""
        return bool(getattr(self._engine, "awaiting_real_usage_after_compression", False))

    def restart(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """End and restart the engine's session after a compression."""
        self._notify("on_session_end", session_id, messages)
        self._notify(
            "on_session_start",
            session_id,
            boundary_reason="compression",
            old_session_id=session_id,
            platform=self._platform,
            conversation_id=self._conversation_id,
        )

    def close(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """End the engine's session."""
        self._notify("on_session_end", session_id, messages)

    def reset(self) -> None:
        """Notify the engine that ``/new`` ended its session."""
        self._notify("on_session_reset")


def require_length(length: int, model: str, wording: Wording) -> None:
    """Raise ValueError if a context is too short for the host; 0 means that the length is unknown."""
    if 0 < length < _MIN_CONTEXT_LENGTH:
        raise ValueError(wording("engine.too_short", model=model, length=f"{length:,}"))


def _refuse_overrides(engine: Any, state: HostState) -> None:
    """Refuse an engine whose class overrides a method that the embedded host does not call.

    Raises:
        NotSupported: The engine overrides such a method.
    """
    base = state.classes["ContextEngine"]
    for name in sorted(_UNSUPPORTED_METHODS & state.contract.section("classes")["ContextEngine"]["members"].keys()):
        if getattr(type(engine), name, None) is not getattr(base, name, None):
            raise state.unsupported(f"call {name} of the context engine {engine.name!r}")


def _copy_engine(engine: Any, name: str, runtime: Runtime) -> Any:
    """Copy an engine for one agent; return None if copying fails (G14)."""
    try:
        return engine.clone_for_agent() if runtime.behaviour.engine_clones_itself else copy.deepcopy(engine)
    except Exception as error:
        _log.warning("%s", runtime.state.wording("engine.not_copied", name=name, error=error))
        return None


class Compressor:
    """Models the built-in compressor up to the point where it compresses, which raises NotSupported."""

    def __init__(self, settings: Settings) -> None:
        self._length = settings.context_length
        self._is_enabled = settings.compresses
        self._threshold = _find_threshold(settings)
        self._tokens = self._futile_attempts = 0

    @property
    def occupancy(self) -> tuple[int, int]:
        """The context length, and the prompt tokens of the last request."""
        return self._length, self._tokens

    def count_usage(self, usage: Mapping[str, int] | None) -> None:
        """Record the prompt tokens of a response."""
        self._tokens = (usage or {}).get("prompt_tokens", 0)
        if 0 < self._tokens < self._threshold:
            self._futile_attempts = 0

    def require_short(self, tokens: int, state: HostState, *, counted: bool) -> None:
        """Require that a request stays below the threshold, with a margin unless the provider counted its tokens.

        Raises:
            NotSupported: The host may compress the conversation before the request.
        """
        is_short = tokens + (0 if counted else _HOST_TEXT_TOKENS) < self._threshold
        if self._is_enabled and not is_short and not (counted and self._futile_attempts):
            raise state.unsupported("compress a conversation that is too long")

    def compress(self, history: Sequence[dict[str, Any]], memory: Memory | None, state: HostState) -> None:
        """Compress the messages of a session if the last request was too long.

        Raises:
            NotSupported: There is something to compress.
        """
        if not self._is_enabled or self._tokens < self._threshold or self._futile_attempts == _MAX_FUTILE_ATTEMPTS:
            return
        if len(history) > _INCOMPRESSIBLE:
            raise state.unsupported("compress a conversation that is too long")
        self._futile_attempts += 1
        if memory and state.behaviour.compressed_aside:
            raise state.unsupported("ask a memory provider what to keep when it compresses a conversation")
        if memory:
            memory.prepare_compression([*history])


def _find_threshold(settings: Settings) -> int:
    """Return the number of tokens from which the host compresses a conversation."""
    length = settings.context_length
    configured = settings.section("compression").get("threshold")
    try:
        share = _DEFAULT_SHARE if configured is None else float(configured)
    except (TypeError, ValueError):
        share = _DEFAULT_SHARE
    if length < _LARGE_CONTEXT:
        share = max(share, _LEAST_SHARE)
    wanted = int(length * share)
    latest = int(length * _FALLBACK_SHARE)
    if wanted >= length or (wanted < _LEAST_TOKENS and latest < _LEAST_TOKENS):
        return max(1, min(latest, length - 1))
    return max(wanted, _LEAST_TOKENS)
