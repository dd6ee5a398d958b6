"""What the sessions of one host share: the model, the plugins' callbacks, the tools and the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.agent.model_access import Access
from hermes_sdk.hosts.embedded.agent.tool_search import ToolSearch
from hermes_sdk.hosts.embedded.builtins.tool import Turnside
from hermes_sdk.hosts.embedded.dispatch import Dispatcher
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.llm import CONTEXT_LENGTH, ScriptedModel

API_MODE = "chat_completions"

_MAX_ITERATIONS = 90
_API_MAX_RETRIES = 3
_MAX_VERIFY_NUDGES = 3


@dataclass(frozen=True)
class Runtime:
    """What a session needs of its host.

    Attributes:
        state: What the parts of the host share.
        registrations: What plugins registered.
        dispatcher: The way of a tool call.
        tools: What a built-in tool may use, outside of a session.
        config: The configuration of the home, as it was when the session began.
    """

    state: HostState
    registrations: Registrations
    dispatcher: Dispatcher
    tools: Turnside
    config: Mapping[str, Any] = field(default_factory=dict)

    def with_current_config(self) -> Runtime:
        """The same for a session that begins now."""
        return replace(self, config=self.state.config.read())

    @property
    def behaviour(self) -> Behaviour:
        """What the release does."""
        return self.state.behaviour

    @property
    def hooks(self) -> Hooks:
        """The hooks of the plugins."""
        return self.registrations.hooks

    @property
    def model(self) -> ScriptedModel:
        """The model that answers."""
        assert self.state.model is not None, "a host that talks has a model"
        return self.state.model

    @cached_property
    def model_name(self) -> str:
        """The model that the configuration names."""
        return str(self._model.get("default", ""))

    @cached_property
    def access(self) -> Access:
        """The provider of models that the configuration chooses."""
        return Access.of(self._model, self.registrations.model_providers.get)

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
        behaviour = self.behaviour
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
        registry = self.registrations.tools
        of_plugins = {registry.entries[name].toolset for name in registry.plugin_tools}
        toolsets = {*chosen, *(of_plugins - passed_over)}
        names = sorted(name for name, entry in registry.entries.items() if entry.toolset in toolsets)
        return registry.definitions(names)

    def search(self, tools: list[dict[str, Any]]) -> ToolSearch:
        """Put tools of plugins aside where the configuration says so (C15; since 0.16).

        Args:
            tools: The definitions of all tools that a session may use.
        """
        section = self.config.get("tools")
        setting = section.get("tool_search") if isinstance(section, Mapping) else None
        return ToolSearch(
            tools,
            setting if self.behaviour.tool_search else False,
            self.context_length,
            lambda name: self.registrations.tools.entries[name].toolset if self._may_go_aside(name) else None,
        )

    def _may_go_aside(self, name: str) -> bool:
        return self.registrations.tools.is_of_plugin(name) and name not in self.state.contract.tools

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
