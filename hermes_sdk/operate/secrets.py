"""Secrets in texts: the values of `.env`, and of variables with names such as ``API_KEY``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from hermes_sdk.home import Home

_TELLING = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 8
"""A shorter value occurs in texts by accident, and is not a real secret."""


def without_secrets(value: Any, home: Home) -> Any:
    """Return a value in whose texts ``${NAME}`` stands for the secret that the variable holds.

    Args:
        value: Text, or lists, tuples and mappings with texts in them, which are copied.
        home: The home, whose `.env` counts beside the environment.
    """
    told = {name: value for name, value in os.environ.items() if _TELLING.search(name)}
    secrets = {secret: name for name, secret in {**told, **home.env}.items() if len(secret) >= _SHORTEST}
    # Of two secrets that begin alike the longer one goes first.
    pattern = re.compile("|".join(map(re.escape, sorted(secrets, key=len, reverse=True))))
    return _replace_secrets(value, pattern, secrets) if secrets else value


def _replace_secrets(value: Any, pattern: re.Pattern[str], secrets: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(lambda found: f"${{{secrets[found[0]]}}}", value)
    if isinstance(value, dict):
        return {key: _replace_secrets(inner, pattern, secrets) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_secrets(inner, pattern, secrets) for inner in value]
    return value
