"""Stands in for ``agent.image_gen_provider``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.providers.media_files import (
    ImageCache,
    list_reference_images,
    make_chooser,
    make_error_response,
    make_image_success,
)
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "DEFAULT_ASPECT_RATIO",
    "VALID_ASPECT_RATIOS",
    "ImageGenProvider",
    "error_response",
    "normalize_reference_images",
    "resolve_aspect_ratio",
    "save_b64_image",
    "save_url_image",
    "success_response",
]

_state = find_plugin_manager(__spec__).state
_constants = _state.contract.section("constants")[__name__]
_cache = ImageCache(_state)
VALID_ASPECT_RATIOS: tuple[str, ...] = tuple(_constants["VALID_ASPECT_RATIOS"])
DEFAULT_ASPECT_RATIO: str = _constants["DEFAULT_ASPECT_RATIO"]
ImageGenProvider = provider_class("ImageGenProvider", _state)
error_response = make_error_response("image", DEFAULT_ASPECT_RATIO)
normalize_reference_images = list_reference_images
resolve_aspect_ratio = make_chooser(VALID_ASPECT_RATIOS, DEFAULT_ASPECT_RATIO)
save_b64_image = _cache.save_b64
save_url_image = _cache.save_url
success_response = make_image_success
