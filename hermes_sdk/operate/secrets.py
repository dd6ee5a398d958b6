"""Replacement of secrets in output: values of `.env`, and of variables with names such as ``API_KEY``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from hermes_sdk.home import Home

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
_MIN_LENGTH = 8
"""Minimum length of a secret: shorter values are not real secrets, and occur in texts by accident."""


def hide_secrets(value: Any, home: Home) -> Any:
    """Return a copy of a value with each secret replaced by ``${NAME}``, the variable that holds it.

    Args:
        value: A string, or nested lists, tuples and mappings with strings.
        home: The home whose `.env` is used in addition to the environment.
    """
    from_environment = {name: value for name, value in os.environ.items() if _SECRET_NAME.search(name)}
    secrets = {secret: name for name, secret in {**from_environment, **home.env}.items() if len(secret) >= _MIN_LENGTH}
    # Longest first, since a secret may be the beginning of another.
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
