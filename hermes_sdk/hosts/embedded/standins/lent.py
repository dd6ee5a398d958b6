"""What an open host lends to its stand-ins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk.contract import Contract
from hermes_sdk.home import Home
from hermes_sdk.hosts.embedded.config import HostConfig
from hermes_sdk.hosts.embedded.providers.model_providers import ModelProviders
from hermes_sdk.hosts.embedded.standins.home_path import HomePath
from hermes_sdk.hosts.embedded.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.loading.manager import Sweep
    from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient
    from hermes_sdk.llm import ScriptedModel


@dataclass(frozen=True)
class Lent:
    """What the stand-ins of one host know of it.

    Attributes:
        contract: What the release promises.
        home: The HERMES_HOME.
        config: The host's reading of ``config.yaml``.
        registry: The tools.
        sweep: Gives what the last discovery found.
        rescan: Discovers again.
        model: Gives the scripted model, or None while nobody has asked for one.
        pythonpath: Directories that the host sees as installed packages.
        model_providers: The providers of models that plugins registered.
        home_path: Gives the home as plugins see it, who may set another for a context.
    """

    contract: Contract
    home: Home
    config: HostConfig
    registry: ToolRegistry
    sweep: Callable[[], Sweep]
    rescan: Callable[[], None]
    model: Callable[[], ScriptedModel | None]
    pythonpath: Sequence[Path] = ()
    model_providers: ModelProviders = field(default_factory=ModelProviders)
    home_path: HomePath = field(default_factory=HomePath)

    @cached_property
    def auxiliary(self) -> AuxiliaryClient:
        """The client for requests outside the conversation; all plugins share it."""
        from hermes_sdk.hosts.embedded.providers.plugin_llm.auxiliary import AuxiliaryClient

        return AuxiliaryClient(self)

    @property
    def has_jsonschema(self) -> bool:
        """Whether the host finds the package that holds values against a JSON Schema, which no release brings."""
        return PathFinder.find_spec("jsonschema", [str(directory) for directory in self.pythonpath]) is not None


def lent(spec: ModuleSpec | None) -> Lent:
    """What the host lends to the stand-in whose ``__spec__`` is given."""
    state = spec.loader_state if spec else None
    if not isinstance(state, Lent):
        raise ImportError("A stand-in is only there while an embedded host is open, under its name on the host.")
    return state
