"""The JSON Schema of plugin.yaml: the one place for names, types and allowed values of the fields.

Two annotations are ours: ``x-newer-than`` names the last release that ignores a field, ``x-documentation`` marks a
field that no host acts on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError


def schema_text() -> str:
    """Return the schema as it is shipped (JSON Schema draft 2020-12)."""
    return files("hermes_sdk.manifest").joinpath("schema.json").read_text(encoding="utf-8")


@cache
def schema() -> dict[str, Any]:
    """Return the schema as a value; do not change it."""
    loaded: dict[str, Any] = json.loads(schema_text())
    return loaded


def violations(value: dict[str, Any]) -> Iterator[ValidationError]:
    """Yield where a manifest departs from the schema: for each place the wrong type, else everything else."""
    errors = list(_validator().iter_errors(value))
    mistyped = {tuple(error.absolute_path) for error in errors if error.validator == "type"}
    yield from (error for error in errors if error.validator == "type" or tuple(error.absolute_path) not in mistyped)


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema())
