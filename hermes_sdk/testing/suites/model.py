"""The suite for providers of models."""

from __future__ import annotations

from typing import Any, ClassVar

from hermes_sdk.testing.suites.contract import Contract


class ModelProviderContract(Contract):
    """What the host demands of a provider of models; see `Contract` for the attributes of all suites.

    The plugin lies in ``plugins/model-providers`` of the home, the only place where the host looks for such providers.
    The host takes no turn without the key, so `environment` sets a variable of the profile's ``env_vars``.

    Attributes:
        provider: What ``model.provider`` selects it by. Default: the name of the directory.
    """

    suite = "model"
    folder = "model-providers"
    provider: ClassVar[str] = ""

    @classmethod
    def selected(cls, name: str) -> dict[str, Any]:
        """Select the provider."""
        return {"model": {"provider": cls.provider or name}}
