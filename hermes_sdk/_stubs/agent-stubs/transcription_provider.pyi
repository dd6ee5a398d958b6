"""Types of ``agent.transcription_provider``."""

from hermes_sdk.api import TranscriptionProvider as TranscriptionProvider
