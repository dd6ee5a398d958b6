"""Types of ``agent.tts_provider``."""

from hermes_sdk.api import TTSProvider as TTSProvider
from hermes_sdk.hosts.embedded.standins.modules.agent.tts_provider import (
    DEFAULT_OUTPUT_FORMAT as DEFAULT_OUTPUT_FORMAT,
    VALID_OUTPUT_FORMATS as VALID_OUTPUT_FORMATS,
    resolve_output_format as resolve_output_format,
)
