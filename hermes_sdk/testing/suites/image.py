"""The suite for image backends."""

from __future__ import annotations

from typing import Any, ClassVar

from hermes_sdk.testing.suites.contract import Contract


class ImageGenProviderContract(Contract):
    """What the host demands of an image backend; see `Contract` for the attributes of all suites.

    Attributes:
        backend: What ``image_gen.provider`` selects it by. Default: the name of the plugin's directory.
    """

    suite = "image"
    backend: ClassVar[str] = ""

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:
        """Tell the name of the backend."""
        return {"backend": cls.backend or name}

    @classmethod
    def selected(cls, name: str) -> dict[str, Any]:
        """Select the backend."""
        return {"image_gen": {"provider": cls.backend or name}}
