"""What a block of data has to be, told by what stands in it or by the file that it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import jsonschema
from docs.blocks import ROOT

from hermes_sdk.manifest.schema import schema

_PACKAGE = ROOT / "hermes_sdk"


def _published(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


SHAPES = {
    path.name.removesuffix(".schema.json"): path
    for path in sorted(_PACKAGE.rglob("*.schema.json"))
    if path.name != "scenario.schema.json"
}
"""What a command prints with ``--json`` -> its schema."""


def validate(value: object, title: str) -> None:
    """Hold a value against the schema that it has; what has none is only parsed."""
    if isinstance(value, Mapping):
        found = _schema(value, PurePosixPath(title).name)
        if found is not None:
            jsonschema.validate(value, found, cls=jsonschema.Draft202012Validator)


def _schema(value: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    if "schema" in value:
        told = str(value["schema"]).removeprefix("hermes-sdk.").partition("/")[0]
        return _published(SHAPES[told]) if told in SHAPES else None
    if "turns" in value:
        return _published(_PACKAGE / "traces" / "scenario.schema.json")
    if name == "plugin.yaml":
        return schema()
    return None
