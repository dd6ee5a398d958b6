"""Types of ``tools.tts_streaming``."""

from typing import Any

from hermes_sdk.hosts.embedded.standins.modules.tools.tts_streaming import (
    StreamingTTSProvider as StreamingTTSProvider,
    register as register,
)

class SentenceChunker(Any):  # type: ignore[misc]
    """Splits a reply into sentences; its members have no types here."""

def resolve_streaming_provider(tts_config: dict[str, Any]) -> StreamingTTSProvider | None: ...
