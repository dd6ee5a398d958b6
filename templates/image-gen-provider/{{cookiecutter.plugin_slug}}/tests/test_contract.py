"""The rules that Hermes has for an image provider, one test each."""

from __future__ import annotations

from hermes_sdk.testing import ImageGenProviderContract, PluginContract


class TestImageGenProviderContract(ImageGenProviderContract):
    """A rule that is meant to be broken goes into `exclude`, with the reason."""

    backend = "{{ cookiecutter.plugin_slug }}"


class TestPluginContract(PluginContract):
    """It is a plugin, too."""
