"""Validation of data blocks with the schema for their content or file name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema
from docs.blocks import ROOT

from hermes_sdk.manifest.schema import schema

_PACKAGE = ROOT / "hermes_sdk"


def read_schema(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


SHAPES = {
    name: path
    for path in sorted(_PACKAGE.rglob("*.schema.json"))
    for name in re.findall(r'"const": "hermes-sdk\.([a-z-]+)/1"', path.read_text(encoding="utf-8"))
}
"""Name of a JSON document -> path of its schema."""


def validate(value: object, title: str) -> None:
    """Validate a value with its schema, if it has one."""
    if isinstance(value, Mapping):
        found = _schema(value, PurePosixPath(title).name)
        if found is not None:
            jsonschema.validate(value, found, cls=jsonschema.Draft202012Validator)


def _schema(value: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    if "schema" in value:
        kind = str(value["schema"]).removeprefix("hermes-sdk.").partition("/")[0]
        return read_schema(SHAPES[kind]) if kind in SHAPES else None
    if "turns" in value:
        return read_schema(_PACKAGE / "traces" / "scenario.schema.json")
    if name == "plugin.yaml":
        return schema()
    return None
