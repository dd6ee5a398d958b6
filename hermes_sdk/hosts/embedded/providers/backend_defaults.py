"""Common defaults of the classes of backends: image, video, speech, search and browser providers."""

from __future__ import annotations

from typing import Any

from hermes_sdk.hosts.embedded.host_classes import Defaults


class Backend(Defaults):
    """A backend that is known by its name."""

    def display_name(self: Any) -> str:
        """The name as it is."""
        name: str = self.name
        return name

    def get_setup_schema(self: Any) -> dict[str, Any]:
        """What the setup asks for: nothing."""
        return {"name": self.display_name, "badge": "", "tag": "", "env_vars": []}


class ModelBackend(Backend):
    """A backend with models, of which the first is the default."""

    def display_name(self: Any) -> str:
        """The name with capitals."""
        return str(self.name.title())

    def is_available(self) -> bool:
        """It is."""
        return True

    def list_models(self) -> list[dict[str, Any]]:
        """None."""
        return []

    def default_model(self: Any) -> Any:
        """The id of the first model."""
        return _first_id(self.list_models())


class VoiceBackend(ModelBackend):
    """A backend with models and voices."""

    def list_voices(self) -> list[dict[str, Any]]:
        """None."""
        return []

    def default_voice(self: Any) -> Any:
        """The id of the first voice."""
        return _first_id(self.list_voices())

    def voice_compatible(self) -> bool:
        """It is not."""
        return False


def _first_id(listed: list[dict[str, Any]]) -> Any:
    return listed[0].get("id") if listed else None
