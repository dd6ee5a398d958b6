"""Redaction of secrets, which replaces them by `REDACTED` in all displayed or stored values.

`names` decides which names indicate a secret, and which of their values are secrets; `places` finds secrets in texts by
such names and by their own form; `forms` lists the encodings of a known secret; `redactor` replaces them all.
"""

from __future__ import annotations

from hermes_sdk.redaction.forms import SHORTEST
from hermes_sdk.redaction.names import REDACTED, is_secret, is_telling
from hermes_sdk.redaction.redactor import Redactor, list_secrets, list_stored_secrets

__all__ = ["REDACTED", "SHORTEST", "Redactor", "is_secret", "is_telling", "list_secrets", "list_stored_secrets"]
