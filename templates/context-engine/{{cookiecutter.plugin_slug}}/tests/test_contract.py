"""Hermes's contract for context engines, one test per rule."""

from __future__ import annotations

from typing import ClassVar

from hermes_sdk.testing import ContextEngineContract, PluginContract

NAME = "{{ cookiecutter.plugin_slug }}"


class TestContextEngineContract(ContextEngineContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""

    engine = NAME


class TestPluginContract(PluginContract):
    """The general rules for plugins."""

    config: ClassVar = {"context": {"engine": NAME}}
