"""The provider, which Hermes calls when the agent wants an image."""

from __future__ import annotations

import base64
from typing import Any

from agent.image_gen_provider import (
    ImageGenProvider,
    error_response,
    resolve_aspect_ratio,
    save_b64_image,
    success_response,
)

from .png import tile

MODEL = "tile-1"
SIZES = {"landscape": (96, 64), "square": (64, 64), "portrait": (64, 96)}


class Images(ImageGenProvider):
    """Draws tiles."""

    @property
    def name(self) -> str:
        """The name that `image_gen.provider` selects."""
        return "{{ cookiecutter.plugin_slug }}"

    @property
    def display_name(self) -> str:
        """The display name."""
        return "{{ cookiecutter.plugin_name }}"

    def is_available(self) -> bool:
        """Return whether the provider can be used now, for example whether its key is set."""
        return True

    def list_models(self) -> list[dict[str, Any]]:
        """Return the available models; the first is the default."""
        return [{"id": MODEL, "display": "Tiles", "speed": "at once", "price": "nothing"}]

    def get_setup_schema(self) -> dict[str, Any]:
        """Return the entry in `hermes tools`."""
        return {"name": self.display_name, "badge": "local", "tag": "One colour for each prompt", "env_vars": []}

    def generate(self, prompt: str, aspect_ratio: str = "landscape", **kwargs: Any) -> dict[str, Any]:
        """Create an image. Later releases pass more, such as `image_url` for an image to edit."""
        ratio = resolve_aspect_ratio(aspect_ratio)
        if not prompt.strip():
            error = {"error": "There is no prompt.", "error_type": "invalid_prompt"}
            return error_response(**error, provider=self.name, model=MODEL, prompt=prompt, aspect_ratio=ratio)
        picture = base64.b64encode(tile(*SIZES[ratio], prompt)).decode()
        path = str(save_b64_image(picture, prefix="{{ cookiecutter.plugin_slug }}"))
        return success_response(image=path, provider=self.name, model=MODEL, prompt=prompt, aspect_ratio=ratio)
