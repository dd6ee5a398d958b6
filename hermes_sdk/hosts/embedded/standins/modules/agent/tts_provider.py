"""Stands in for ``agent.tts_provider``."""

from hermes_sdk.hosts.embedded.providers.classes import provider_class
from hermes_sdk.hosts.embedded.providers.media_files import make_chooser
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["DEFAULT_OUTPUT_FORMAT", "VALID_OUTPUT_FORMATS", "TTSProvider", "resolve_output_format"]

_state = find_plugin_manager(__spec__).state
_constants = _state.contract.section("constants")[__name__]
DEFAULT_OUTPUT_FORMAT: str = _constants["DEFAULT_OUTPUT_FORMAT"]
VALID_OUTPUT_FORMATS = frozenset[str](_constants["VALID_OUTPUT_FORMATS"])
TTSProvider = provider_class("TTSProvider", _state)
resolve_output_format = make_chooser(VALID_OUTPUT_FORMATS, DEFAULT_OUTPUT_FORMAT)
