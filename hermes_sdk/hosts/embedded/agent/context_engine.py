"""Context engines: of plugins, and the host's own, modelled while it finds nothing to compress (G12 to G15)."""

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
_SHORTEST_CONTEXT = 64_000
_UNASKED = frozenset({"on_turn_complete", "select_context"})
"""The methods of an engine that hosts call since 0.20.2, and this one does not."""
_THRESHOLD = 0.5
_LEAST_TOKENS = 64_000
_LEAST_SHARE = 0.75
"""At least this share of a context that is not large may be used before the host compresses."""
_LARGE_CONTEXT = 512_000
_LARGEST_SHARE = 0.85
"""The share of a context that is smaller than the least number of tokens, or is not enough for the wanted share."""
_OWN_TEXTS = 20_000
"""More tokens than the host's own system prompt and the descriptions of its tools have."""
_INCOMPRESSIBLE = 7
"""A number of messages that the host leaves as they are: those that it protects at both ends, and one more."""
_MOST_IDLE = 2
"""So often in a row the host tries in vain."""


class Engine:
    """The context engine of a plugin in one session; `schemas` are the tools that it offers to the model.

    An engine that `offers_tools` is asked for them.
    """

    def __init__(
        self, engine: Any, runtime: Runtime, platform: str, origin: Origin | None, *, offers_tools: bool
    ) -> None:
        self._engine = engine
        self._state = runtime.state
        self._behaviour = runtime.behaviour
        self._platform = platform
        self._conversation = origin.session_key if origin else None
        self._offers_tools = offers_tools
        self.schemas: list[dict[str, Any]] = []
        self.blocked = ""
        """The kind of reason for no compression that the user was told last."""

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
        """Start the engine that ``context.engine`` names; return None for the host's own (G12)."""
        wanted = settings.section("context").get("engine")
        if not wanted or wanted == _BUILTIN:
            return None
        engine = load(str(wanted), runtime.state, runtime.registrations.commands) or cls._take(wanted, runtime)
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
    def _take(wanted: Any, runtime: Runtime) -> Any:
        """Return the engine of that name that a plugin registered, or a copy of it; None without one."""
        registered = runtime.registrations.context_engine.named(wanted)
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
            conversation_id=self._conversation,
        )

    def list_tools(self) -> None:
        """Ask the engine for its tools."""
        if self._offers_tools:
            self.schemas = list(self._list_schemas())

    def _notify(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Tell the engine something; its exceptions do not reach the user."""
        try:
            getattr(self._engine, method)(*args, **kwargs)
        except Exception as error:
            self._state.swallow(f"context engine {method}", error)

    def _list_schemas(self) -> Iterator[dict[str, Any]]:
        """List its tools, except those without a name."""
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
        """The tools of the engine."""
        return frozenset(schema["name"] for schema in self.schemas if schema.get("name"))

    def call_tool(self, name: str, args: dict[str, Any], messages: list[dict[str, Any]]) -> Any:
        """Answer a call of one of its tools."""
        try:
            return self._engine.handle_tool_call(name, args, messages=messages)
        except Exception as error:
            self._state.swallow("context engine handle_tool_call", error)
            return json.dumps({"error": f"Context engine tool '{name}' failed: {error}"}, ensure_ascii=False)

    def count_usage(self, usage: Mapping[str, int] | None) -> None:
        """Pass the token counts of an answer to the engine."""
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
        """Return the tokens that the context holds, and those of the last request."""
        return self._engine.context_length, self.last_prompt_tokens

    @property
    def last_prompt_tokens(self) -> int:
        """The prompt tokens of the last request, as the engine counts them."""
        return int(self._engine.last_prompt_tokens)

    def needs_compression(self, tokens: int) -> bool:
        """Ask whether a request of so many tokens was too long."""
        return bool(self._engine.should_compress(tokens))

    def waits_for_usage(self, tokens: int) -> bool:
        """Ask whether the engine waits for the provider's count of a request of about so many tokens."""
        waits = getattr(self._engine, "should_defer_preflight_to_real_usage", None)
        return waits is not None and bool(waits(tokens))

    def require_unpruned(self, messages: list[dict[str, Any]], tokens: int) -> None:
        """Ask what an engine that does not compress after calls of tools can do instead.

        Raises:
            NotSupported: It drops results of tools.
        """
        try:
            pruned, count = self._engine.prune_tool_results_only(messages, current_tokens=tokens)
        except Exception as error:
            self._state.swallow("context engine prune_tool_results_only", error)
            return
        if count and pruned is not messages:
            raise self._state.unsupported("let a context engine prune the results of tools")

    def ask_why_not(self, tokens: int, attempts: int | None = None) -> str:
        """Return why a request of so many tokens is not compressed; empty if it is short enough.

        The reason for one that should be, in a turn that has had so many attempts, is that they are used up.
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
        """Ask whether a history is too long for the next turn, as the host does for long ones.

        Raises:
            NotSupported: It is; the host compresses it then, or says why it does not.
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
            if self.ask_why_not(tokens):
                raise self._state.unsupported("warn that a conversation is too long, and not compressed")
            self.blocked = ""
            self._refuse_upkeep(messages)

    def _refuse_upkeep(self, messages: list[dict[str, Any]]) -> None:
        """Ask whether the engine wants to compress a short history before the turn.

        Raises:
            NotSupported: It does.
        """
        try:
            wanted = bool(self._engine.should_compress_preflight(messages))
        except Exception as error:
            self._state.swallow("context engine should_compress_preflight", error)
            return
        if wanted:
            raise self._state.unsupported("compress a history before a turn")

    def word_status(self, phase: str, text: str, tokens: int, **about: Any) -> str:
        """Return what the user is told about a compression; empty if nothing, as an engine may decide."""
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
        """From how many tokens on the engine says that it compresses."""
        return int(self._engine.threshold_tokens or 0)

    @property
    def context_length(self) -> int:
        """Return the length of the model's context according to the engine."""
        return int(self._engine.context_length or 0)

    def compress(self, messages: list[dict[str, Any]], tokens: int, kept: str) -> Any:
        """Compress messages of about so many tokens; `kept` is what the memory provider wants to keep of them.

        The engine gets the arguments that its method declares (change 4).
        """
        self.blocked = ""
        given: dict[str, Any] = {"current_tokens": tokens, "focus_topic": None, "force": False}
        given |= {"memory_context": kept} if kept else {}
        parameters = inspect.signature(self._engine.compress).parameters
        if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
            given = {name: value for name, value in given.items() if name in parameters}
        return self._engine.compress(messages, **given)

    def await_usage(self, tokens: int) -> None:
        """Set what the host sets on an engine after a compression that left about so many tokens."""
        engine = self._engine
        engine.last_compression_rough_tokens = tokens
        engine.last_prompt_tokens = -1
        engine.last_completion_tokens = 0
        engine.awaiting_real_usage_after_compression = True

    @property
    def is_awaiting_usage(self) -> bool:
        """Return whether the engine, which clears this itself, lacks the usage since its last compression."""
        return bool(getattr(self._engine, "awaiting_real_usage_after_compression", False))

    def restart(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """End and restart its session after a compression."""
        self._notify("on_session_end", session_id, messages)
        self._notify(
            "on_session_start",
            session_id,
            boundary_reason="compression",
            old_session_id=session_id,
            platform=self._platform,
            conversation_id=self._conversation,
        )

    def close(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """End its session."""
        self._notify("on_session_end", session_id, messages)

    def reset(self) -> None:
        """Forget the session that ``/new`` ended."""
        self._notify("on_session_reset")


def require_length(length: int, model: str, wording: Wording) -> None:
    """Raise ValueError if a context is too short for the host; one of unknown length is 0."""
    if 0 < length < _SHORTEST_CONTEXT:
        raise ValueError(wording("engine.too_short", model=model, length=f"{length:,}"))


def _refuse_overrides(engine: Any, state: HostState) -> None:
    """Refuse an engine that answers what later hosts ask and this one does not.

    Raises:
        NotSupported: The engine overrides such a method.
    """
    base = state.classes["ContextEngine"]
    for name in sorted(_UNASKED & state.contract.section("classes")["ContextEngine"]["members"].keys()):
        if getattr(type(engine), name, None) is not getattr(base, name, None):
            raise state.unsupported(f"call {name} of the context engine {engine.name!r}")


def _copy_engine(engine: Any, name: str, runtime: Runtime) -> Any:
    """Copy an engine for one agent; None for one that cannot be copied (G14)."""
    try:
        return engine.clone_for_agent() if runtime.behaviour.engine_clones_itself else copy.deepcopy(engine)
    except Exception as error:
        _log.warning("%s", runtime.state.wording("engine.not_copied", name=name, error=error))
        return None


class Compressor:
    """Counts the tokens of a session, and refuses to go on where the host would summarise its messages."""

    def __init__(self, settings: Settings) -> None:
        self._length = settings.context_length
        self._is_enabled = settings.compresses
        self._threshold = _find_threshold(settings)
        self._tokens = self._idle = 0

    @property
    def occupancy(self) -> tuple[int, int]:
        """Return the tokens that the context holds, and those of the last request."""
        return self._length, self._tokens

    def count_usage(self, usage: Mapping[str, int] | None) -> None:
        """Count the tokens of an answer."""
        self._tokens = (usage or {}).get("prompt_tokens", 0)
        if 0 < self._tokens < self._threshold:
            self._idle = 0

    def require_short(self, tokens: int, state: HostState, *, counted: bool) -> None:
        """Require that a request of so many tokens is short, with room for the host's own texts unless it is counted.

        Raises:
            NotSupported: The host may compress the conversation before the request.
        """
        is_short = tokens + (0 if counted else _OWN_TEXTS) < self._threshold
        if self._is_enabled and not is_short and not (counted and self._idle):
            raise state.unsupported("compress a conversation that is too long")

    def compress(self, history: Sequence[dict[str, Any]], memory: Memory | None, state: HostState) -> None:
        """Compress the messages of a session if the last request was too long.

        Raises:
            NotSupported: There is something to compress.
        """
        if not self._is_enabled or self._tokens < self._threshold or self._idle == _MOST_IDLE:
            return
        if len(history) > _INCOMPRESSIBLE:
            raise state.unsupported("compress a conversation that is too long")
        self._idle += 1
        if memory and state.behaviour.compressed_aside:
            raise state.unsupported("ask a memory provider what to keep when it compresses a conversation")
        if memory:
            memory.prepare_compression([*history])


def _find_threshold(settings: Settings) -> int:
    """Return from how many tokens on the host compresses a conversation."""
    length = settings.context_length
    configured = settings.section("compression").get("threshold")
    try:
        share = _THRESHOLD if configured is None else float(configured)
    except (TypeError, ValueError):
        share = _THRESHOLD
    if length < _LARGE_CONTEXT:
        share = max(share, _LEAST_SHARE)
    wanted = int(length * share)
    latest = int(length * _LARGEST_SHARE)
    if wanted >= length or (wanted < _LEAST_TOKENS and latest < _LEAST_TOKENS):
        return max(1, min(latest, length - 1))
    return max(wanted, _LEAST_TOKENS)
