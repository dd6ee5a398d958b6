"""Objects that the sessions of a host share."""

from __future__ import annotations

from dataclasses import dataclass

from hermes_sdk.contract import Behaviour
from hermes_sdk.hosts.embedded.builtins.tool import ToolContext
from hermes_sdk.hosts.embedded.dispatch import Dispatcher
from hermes_sdk.hosts.embedded.hooks import Hooks
from hermes_sdk.hosts.embedded.providers.memory import MakeContext
from hermes_sdk.hosts.embedded.registrations import Registrations
from hermes_sdk.hosts.embedded.state import HostState
from hermes_sdk.llm import ScriptedModel


@dataclass(frozen=True)
class Runtime:
    """Objects that the sessions of a host share; `tools` is the context of built-in tools outside a session."""

    state: HostState
    registrations: Registrations
    dispatcher: Dispatcher
    tools: ToolContext
    make_provider_context: MakeContext

    @property
    def behaviour(self) -> Behaviour:
        """The behaviour flags of the release."""
        return self.state.behaviour

    @property
    def hooks(self) -> Hooks:
        """The hooks of the plugins."""
        return self.registrations.hooks

    @property
    def model(self) -> ScriptedModel:
        """The scripted model."""
        assert self.state.model is not None, "a host that talks has a model"
        return self.state.model
