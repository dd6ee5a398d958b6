"""Hermes's contract for model providers, one test per rule."""

from __future__ import annotations

from typing import ClassVar

from hermes_sdk.testing import ModelProviderContract


class TestModelProviderContract(ModelProviderContract):
    """To break a rule on purpose, add it to `exclude` with a reason."""

    environment: ClassVar = {"{{ cookiecutter.__package | upper }}_KEY": "a key for tests"}
