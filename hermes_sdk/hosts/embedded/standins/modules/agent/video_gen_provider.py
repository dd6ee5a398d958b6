"""Stands in for ``agent.video_gen_provider``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.providers.media_files import VideoCache, make_error_response, make_video_success
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = [
    "COMMON_ASPECT_RATIOS",
    "COMMON_RESOLUTIONS",
    "DEFAULT_ASPECT_RATIO",
    "DEFAULT_RESOLUTION",
    "VideoGenProvider",
    "error_response",
    "save_b64_video",
    "save_bytes_video",
    "save_url_video",
    "success_response",
]

_state = find_plugin_manager(__spec__).state
_constants = _state.contract.section("constants")[__name__]
_cache = VideoCache(_state)
COMMON_ASPECT_RATIOS: tuple[str, ...] = tuple(_constants["COMMON_ASPECT_RATIOS"])
COMMON_RESOLUTIONS: tuple[str, ...] = tuple(_constants["COMMON_RESOLUTIONS"])
DEFAULT_ASPECT_RATIO: str = _constants["DEFAULT_ASPECT_RATIO"]
DEFAULT_RESOLUTION: str = _constants["DEFAULT_RESOLUTION"]
VideoGenProvider = provider_class("VideoGenProvider", _state)
error_response = make_error_response("video", "")
save_b64_video = _cache.save_b64
save_bytes_video = _cache.save_bytes
save_url_video = _cache.save_url
success_response = make_video_success
