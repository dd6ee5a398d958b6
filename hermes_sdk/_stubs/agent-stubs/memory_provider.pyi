"""Types of ``agent.memory_provider``."""

import re

from hermes_sdk.api import MemoryProvider as MemoryProvider, RecallStatus as RecallStatus

INDICATOR_GLYPH: str
TRIVIAL_PROMPT_RE: re.Pattern[str]

def is_trivial_prompt(text: str | None) -> bool: ...
