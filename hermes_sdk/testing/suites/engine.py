"""The suite for context engines."""

from __future__ import annotations

from typing import Any, ClassVar

from hermes_sdk.testing.suites.contract import Contract


class ContextEngineContract(Contract):
    """What the host demands of a context engine; see `Contract` for the attributes of all suites.

    Attributes:
        engine: What ``context.engine`` selects it by. Default: the name of the plugin's directory.
    """

    suite = "engine"
    engine: ClassVar[str] = ""

    @classmethod
    def settings(cls, name: str) -> dict[str, Any]:
        """Tell the name of the engine."""
        return {"engine": cls.engine or name}

    @classmethod
    def selected(cls, name: str) -> dict[str, Any]:
        """Select the engine."""
        return {"context": {"engine": cls.engine or name}}
