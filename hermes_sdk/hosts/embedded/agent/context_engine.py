"""The context engine of a session, when a plugin's is selected: what it counts, and when it compresses (G12 to G15)."""

from __future__ import annotations

import copy
import inspect
import json
import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.embedded.agent.provider_tools import named
from hermes_sdk.hosts.embedded.agent.runtime import API_MODE
from hermes_sdk.hosts.in_worker.recording import public_methods

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.agent.origin import Origin
    from hermes_sdk.hosts.embedded.agent.runtime import Runtime
    from hermes_sdk.hosts.embedded.agent.session import Session

_log = logging.getLogger("run_agent")

BUILTIN = "compressor"


class Engine:
    """A plugin's context engine at work.

    Args:
        engine: The engine.
        runtime: What the sessions of the host share.
        platform: What the session runs on.
        origin: The chat that it serves, if it is one of a gateway.
    """

    def __init__(self, engine: Any, runtime: Runtime, platform: str, origin: Origin | None = None) -> None:
        self._engine = engine
        self._runtime = runtime
        self._platform = platform
        self._conversation = origin.session_key if origin else None
        self._more = runtime.behaviour.engine_told_more
        self.schemas: list[dict[str, Any]] = []

    @classmethod
    def opened(cls, runtime: Runtime, session_id: str, platform: str, origin: Origin | None = None) -> Engine | None:
        """Start the engine that ``context.engine`` names; None when that is the host's own (G12)."""
        section = runtime.config.get("context")
        wanted = section.get("engine") if isinstance(section, Mapping) else None
        if not wanted or wanted == BUILTIN:
            return None
        registered = runtime.registrations.context_engine.engine
        if registered is None or registered.name != wanted:
            _log.warning("Context engine '%s' not found — falling back to built-in compressor", wanted)
            return None
        engine = _copied(registered, wanted) if runtime.behaviour.engine_copied else registered
        if engine is None:
            return None
        if runtime.state.recording.active:
            runtime.state.recording.wrap_methods("context_engine", engine, _public(engine))
        made = cls(engine, runtime, platform, origin)
        made._start(session_id)
        return made

    def _start(self, session_id: str) -> None:
        runtime = self._runtime
        self._engine.update_model(
            model=runtime.model_name,
            context_length=runtime.context_length,
            base_url=runtime.access.base_url,
            api_key=runtime.api_key,
            provider=runtime.access.provider,
            **({"api_mode": API_MODE} if self._more else {}),
        )
        self.schemas = list(self._offered())
        self._engine.on_session_start(
            session_id,
            hermes_home=str(runtime.state.home.path),
            platform=self._platform,
            model=runtime.model_name,
            context_length=runtime.context_length,
            **self._conversation_id,
        )

    @property
    def _conversation_id(self) -> dict[str, str | None]:
        passed = "conversation_id" in self._passed_to("on_session_start")
        return {"conversation_id": self._conversation} if passed else {}

    def _passed_to(self, method: str) -> frozenset[str]:
        return self._runtime.state.contract.host_call_arguments(f"ContextEngine.{method}")

    def _offered(self) -> Iterator[dict[str, Any]]:
        """Its tools; before 0.18.0 also one without a name, which providers of models refuse."""
        contract = self._runtime.state.contract
        for one in self._engine.get_tool_schemas():
            schema = named(one, contract)
            if schema is not None:
                yield schema
            elif contract.behaviour.provider_tools_unwrapped:
                _log.warning(
                    "Context engine returned a tool schema with no resolvable name; skipping to avoid poisoning the"
                    " request (%r)",
                    one,
                )
            else:
                yield dict(one)

    def _compressed(self, messages: list[dict[str, Any]], tokens: int, kept: str) -> Any:
        """Call it with those of the arguments that it takes, as the release finds out (change 4)."""
        behaviour = self._runtime.behaviour
        given: dict[str, Any] = {"current_tokens": tokens, "focus_topic": None, "force": False}
        if not behaviour.engine_signature_read:
            passed = self._passed_to("compress")
            try:
                return self._engine.compress(messages, **{name: given[name] for name in given if name in passed})
            except TypeError:
                return self._engine.compress(messages, current_tokens=tokens)
        given |= {"memory_context": kept} if kept else {}
        parameters = inspect.signature(self._engine.compress).parameters
        if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
            given = {name: value for name, value in given.items() if name in parameters}
        return self._engine.compress(messages, **given)

    @property
    def tool_names(self) -> frozenset[str]:
        """The tools of the engine."""
        return frozenset(schema["name"] for schema in self.schemas if schema.get("name"))

    def call_tool(self, name: str, args: dict[str, Any], messages: list[dict[str, Any]]) -> Any:
        """Answer a call of one of its tools."""
        try:
            return self._engine.handle_tool_call(name, args, messages=messages)
        except Exception as error:
            self._runtime.state.swallow(f"context engine {self._engine.name} handle_tool_call", error)
            return json.dumps({"error": f"Context engine tool '{name}' failed: {error}"}, ensure_ascii=False)

    def answered(self, usage: Mapping[str, int] | None) -> None:
        """Tell it what an answer cost."""
        counts = dict(usage or {})
        told = {
            "prompt_tokens": counts.get("prompt_tokens", 0),
            "completion_tokens": counts.get("output_tokens", 0),
            "total_tokens": counts.get("total_tokens", 0),
        }
        buckets = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
        self._engine.update_from_response(
            {**told, **({name: counts.get(name, 0) for name in buckets} if self._more else {})}
        )

    @property
    def last_prompt_tokens(self) -> int:
        """What the last answer cost, as the engine counts."""
        return int(self._engine.last_prompt_tokens)

    def wants_to_compress(self) -> bool:
        """Ask whether what the last answer cost is too much."""
        return bool(self._engine.should_compress(self.last_prompt_tokens))

    def wants_to_compress_first(self, tokens: int) -> bool:
        """Ask whether a request of about so many tokens is too long, unless the engine waits for what it costs."""
        waits = getattr(self._engine, "should_defer_preflight_to_real_usage", None)
        return not (waits is not None and waits(tokens)) and bool(self._engine.should_compress(tokens))

    def compress(self, session: Session, tokens: int) -> None:
        """Let it compress the history of a session.

        Args:
            session: The session.
            tokens: About how many tokens its messages are.
        """
        messages = list(session.history)
        kept = session.memory.before_compression(messages) if session.memory else ""
        session.history[:] = self._compressed(messages, tokens, kept)
        self._engine.on_session_end(session.id, messages)
        self._engine.on_session_start(
            session.id,
            boundary_reason="compression",
            old_session_id=session.id,
            platform=self._platform,
            **self._conversation_id,
        )

    def close(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """End its session."""
        self._engine.on_session_end(session_id, messages)


def _copied(engine: Any, name: str) -> Any:
    """A copy for one agent, or None for an engine that cannot be copied (G14)."""
    try:
        return copy.deepcopy(engine)
    except Exception as error:
        _log.warning(
            "Context engine '%s' could not be safely copied for this agent (%s) — falling back to built-in compressor."
            " Plugin engines that hold uncopyable state (locks, DB connections) should implement __deepcopy__ to copy"
            " only mutable budget state.",
            name,
            error,
        )
        return None


def _public(engine: Any) -> list[str]:
    base = next((one for one in type(engine).__mro__ if one.__module__ == "agent.context_engine"), type(engine))
    return public_methods(base)
