"""Stands in for ``agent.tts_provider``."""

from __future__ import annotations

from typing import Any, NoReturn

from hermes_sdk.hosts.embedded.host_classes import Classes
from hermes_sdk.hosts.embedded.providers.backend_defaults import VoiceBackend
from hermes_sdk.hosts.embedded.standins.plugin_manager import find_plugin_manager

__all__ = ["DEFAULT_OUTPUT_FORMAT", "VALID_OUTPUT_FORMATS", "TTSProvider", "resolve_output_format"]

_host = find_plugin_manager(__spec__)
_constants = _host.state.contract.section("constants")[__name__]
DEFAULT_OUTPUT_FORMAT: str = _constants["DEFAULT_OUTPUT_FORMAT"]
VALID_OUTPUT_FORMATS = frozenset[str](_constants["VALID_OUTPUT_FORMATS"])


class _Speech(VoiceBackend):
    """Speaks text."""

    idle = frozenset({"release", "warm"})

    def stream(self: Any, **_: Any) -> NoReturn:
        raise NotImplementedError(
            f"TTS provider {self.name!r} does not implement streaming synthesis. Use synthesize() instead, or implement"
            " stream() if your backend supports it."
        )


TTSProvider = Classes(_host.state, globals()).made("TTSProvider", _Speech)


def resolve_output_format(value: Any) -> str:
    """Return a format that is known; the default for every other value."""
    name = value.strip().lower() if isinstance(value, str) else ""
    return name if name in VALID_OUTPUT_FORMATS else DEFAULT_OUTPUT_FORMAT
