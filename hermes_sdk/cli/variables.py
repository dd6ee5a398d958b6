"""The option ``--env`` of commands that start a host."""

from __future__ import annotations

import os
from collections.abc import Iterable

from hermes_sdk.errors import UsageError


def parse_variables(given: Iterable[str]) -> dict[str, str]:
    """Parse what is given as ``NAME=VALUE``, or as ``NAME`` for the value that this process has.

    Raises:
        UsageError: A name is empty, or this process does not have the variable.
    """
    variables: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not (equals or name in os.environ):
            raise UsageError(f"--env {text}: there is no variable {name!r} here; write NAME=VALUE.")
        variables[name] = value if equals else os.environ[name]
    return variables
