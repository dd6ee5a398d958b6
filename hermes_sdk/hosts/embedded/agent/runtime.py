"""What the sessions of one host share: the model, the plugins' callbacks, the tools and the configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.hosts.embedded.agent.model_access import Access
from hermes_sdk.hosts.embedded.agent.tool_search import ToolSearch
from hermes_sdk.hosts.embedded.builtins.tool import Turnside
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.middleware import Middleware
from hermes_sdk.hosts.embedded.tools.dispatch import Dispatcher
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface.host import OnSwallowed
from hermes_sdk.llm import CONTEXT_LENGTH, ScriptedModel

API_MODE = "chat_completions"

_MAX_ITERATIONS = 90
_API_MAX_RETRIES = 3
_MAX_VERIFY_NUDGES = 3


@dataclass(frozen=True)
class Runtime:
    """What a session needs of its host.

    Attributes:
        contract: The release.
        config: The configuration of the home, as it was when the session began.
        home: The HERMES_HOME.
        model: The model that answers.
        hooks: The hooks of the plugins.
        middleware: The middleware of the plugins.
        dispatcher: The way of a tool call.
        registry: The tools.
        plugin_tools: The names of the tools that plugins hold.
        turnside: What a built-in tool may use, outside of a session.
        stateless: Whether delegation runs within the turn.
        engine: The context engine that a plugin registered, or None.
        profiles: Gives the provider of models that a plugin registered under a name, or None.
        recording: Where the calls of callbacks are recorded.
        on_swallowed: Called with a place and the exception whenever the host hides one of a plugin.
    """

    contract: Contract
    config: Mapping[str, Any]
    home: Path
    model: ScriptedModel
    hooks: Hooks
    middleware: Middleware
    dispatcher: Dispatcher
    registry: ToolRegistry
    plugin_tools: Callable[[], list[str]]
    turnside: Turnside
    stateless: bool
    engine: Callable[[], Any]
    profiles: Callable[[str], Any]
    recording: Recording
    on_swallowed: OnSwallowed

    def fire(self, hook: str, /, **values: Any) -> list[Any]:
        """Fire a hook with those of the values that the release passes."""
        if not self.hooks.has(hook):
            return []
        fact = self.contract.hooks.get(hook)
        # A release that lacks a hook never fires it, whatever a plugin registered.
        if fact is None:
            return []
        passed = {*fact.always, *fact.sometimes}
        return self.hooks.fire(hook, **{name: value for name, value in values.items() if name in passed})

    @cached_property
    def model_name(self) -> str:
        """The model that the configuration names."""
        return str(self._model.get("default", ""))

    @cached_property
    def access(self) -> Access:
        """The provider of models that the configuration chooses."""
        return Access.of(self._model, self.profiles)

    @cached_property
    def api_key(self) -> str:
        """The key for it."""
        return str(self._model.get("api_key", ""))

    @cached_property
    def context_length(self) -> int:
        """How many tokens the model's context holds."""
        length = self._model.get("context_length")
        return length if isinstance(length, int) else CONTEXT_LENGTH

    @cached_property
    def sees_images(self) -> bool:
        """Whether the model takes images."""
        return bool(self._model.get("supports_vision"))

    @cached_property
    def max_iterations(self) -> int:
        """How many requests one turn may make."""
        return self._agent_number("max_turns", _MAX_ITERATIONS)

    @cached_property
    def api_max_retries(self) -> int:
        """How many attempts one request has."""
        return self._agent_number("api_max_retries", _API_MAX_RETRIES)

    @cached_property
    def call_repeats(self) -> int:
        """How often a tool call that cannot be read is asked for again."""
        behaviour = self.contract.behaviour
        return 4 if behaviour.cut_off_calls_asked_again_more else 3 if behaviour.cut_off_calls_asked_thrice else 1

    @cached_property
    def max_verify_nudges(self) -> int:
        """How often ``pre_verify`` may keep a turn from ending."""
        return self._agent_number("max_verify_nudges", _MAX_VERIFY_NUDGES)

    def offered(self, platform: str) -> list[dict[str, Any]]:
        """The definitions of the tools that a session is offered (C11, C12).

        Args:
            platform: What the session runs on, such as ``cli``.
        """
        chosen = self._listed("platform_toolsets", platform) or self._selected()
        passed_over = set(self._listed("known_plugin_toolsets", platform)) - set(chosen)
        of_plugins = {self.registry.entries[name].toolset for name in self.plugin_tools()}
        toolsets = {*chosen, *(of_plugins - passed_over)}
        names = sorted(name for name, entry in self.registry.entries.items() if entry.toolset in toolsets)
        return self.registry.definitions(names)

    def search(self, tools: list[dict[str, Any]]) -> ToolSearch:
        """Put tools of plugins aside where the configuration says so (C15; since 0.16).

        Args:
            tools: The definitions of all tools that a session may use.
        """
        section = self.config.get("tools")
        setting = section.get("tool_search") if isinstance(section, Mapping) else None
        return ToolSearch(
            tools,
            setting if self.contract.behaviour.tool_search else False,
            self.context_length,
            lambda name: self.registry.entries[name].toolset if self._may_go_aside(name) else None,
        )

    def _may_go_aside(self, name: str) -> bool:
        return self.registry.is_of_plugin(name) and name not in self.contract.tools

    def _selected(self) -> list[str]:
        """The toolsets of what the configuration selects: a memory provider, a context engine."""
        return [
            toolset
            for section, key, toolset in (("memory", "provider", "memory"), ("context", "engine", "context_engine"))
            if isinstance(found := self.config.get(section), Mapping) and found.get(key)
        ]

    @property
    def _model(self) -> Mapping[str, Any]:
        section = self.config.get("model")
        return section if isinstance(section, Mapping) else {}

    def _agent_number(self, key: str, default: int) -> int:
        section = self.config.get("agent")
        value = section.get(key) if isinstance(section, Mapping) else None
        return value if isinstance(value, int) and value > 0 else default

    def _listed(self, section: str, platform: str) -> list[str]:
        lists = self.config.get(section)
        listed = lists.get(platform) if isinstance(lists, Mapping) else None
        return [str(name) for name in listed] if isinstance(listed, list) else []
