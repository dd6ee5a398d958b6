"""Stands in for ``tools.tts_streaming``: voices that stream; what speaks with them is refused."""

from hermes_sdk.hosts.embedded.host_classes import derive_class
from hermes_sdk.hosts.embedded.providers.speech_streams import StreamingTTSProvider, register
from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["SentenceChunker", "StreamingTTSProvider", "register", "resolve_streaming_provider"]

globals()["StreamingTTSProvider"] = derive_class(StreamingTTSProvider)
SentenceChunker = refused(__spec__, "SentenceChunker")
resolve_streaming_provider = refused(__spec__, "resolve_streaming_provider")
