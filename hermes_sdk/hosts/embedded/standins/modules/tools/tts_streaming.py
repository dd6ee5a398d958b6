"""Stands in for ``tools.tts_streaming``: streaming voices. Speaking with them is not supported."""

from hermes_sdk.hosts.embedded.host_classes import derive_class
from hermes_sdk.hosts.embedded.providers.speech_streams import StreamingTTSProvider, register
from hermes_sdk.hosts.embedded.standins.placeholders import make_placeholder

__all__ = ["SentenceChunker", "StreamingTTSProvider", "register", "resolve_streaming_provider"]

globals()["StreamingTTSProvider"] = derive_class(StreamingTTSProvider)
SentenceChunker = make_placeholder(__spec__, "SentenceChunker")
resolve_streaming_provider = make_placeholder(__spec__, "resolve_streaming_provider")
