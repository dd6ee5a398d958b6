"""Hermes's contract for image providers, one test per rule."""

from __future__ import annotations

from hermes_sdk.testing import ImageGenProviderContract, PluginContract


class TestImageGenProviderContract(ImageGenProviderContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""

    backend = "{{ cookiecutter.plugin_slug }}"


class TestPluginContract(PluginContract):
    """The general rules for plugins."""
