"""A HERMES_HOME on disk: `config.yaml`, `.env`, `plugins/` and the allow-list of shell hooks.

It is read as the host reads it; edits preserve unrelated content. Must not import `llm`, `hosts` or anything above.
"""

from __future__ import annotations

from hermes_sdk.home.config import REMOVED, parse_config
from hermes_sdk.home.home import Home

__all__ = ["REMOVED", "Home", "parse_config"]
