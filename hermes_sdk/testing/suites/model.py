"""The suite for providers of models."""

from __future__ import annotations

from hermes_sdk.testing.suites.contract import Contract


class ModelProviderContract(Contract):
    """What the host demands of a provider of models; see `Contract` for the attributes of all suites.

    The plugin lies in ``plugins/model-providers`` of the home, the only place where the host looks for such providers.
    """

    suite = "model"
    folder = "model-providers"
