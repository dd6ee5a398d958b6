"""The rules that Hermes has for a context engine, one test each."""

from __future__ import annotations

from typing import ClassVar

from hermes_sdk.testing import ContextEngineContract, PluginContract

NAME = "{{ cookiecutter.plugin_slug }}"


class TestContextEngineContract(ContextEngineContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""

    engine = NAME


class TestPluginContract(PluginContract):
    """It is a plugin, too."""

    config: ClassVar = {"context": {"engine": NAME}}
