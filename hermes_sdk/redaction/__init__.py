"""The one redactor: replaces secrets by `REDACTED` in everything that is shown or stored.

`names` decides which names give a secret away, and which of their values count; `places` finds secrets in texts by such
names and by their own form; `forms` lists how a known secret can be written; `redactor` replaces them all.
"""

from __future__ import annotations

from hermes_sdk.redaction.forms import SHORTEST
from hermes_sdk.redaction.names import REDACTED, is_secret, is_telling
from hermes_sdk.redaction.redactor import Redactor, list_secrets, list_stored_secrets

__all__ = ["REDACTED", "SHORTEST", "Redactor", "is_secret", "is_telling", "list_secrets", "list_stored_secrets"]
