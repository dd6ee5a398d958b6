"""JSON Schema of plugin.yaml: it is valid, and agrees with the contract and the diagnostics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hermes_sdk import contract
from hermes_sdk.manifest import diagnose, parse_text
from hermes_sdk.manifest.codes import CODES
from hermes_sdk.manifest.schema import schema, schema_text, violations

PROPERTIES: dict[str, dict[str, Any]] = schema()["properties"]


def test_schema_is_valid() -> None:
    Draft202012Validator.check_schema(json.loads(schema_text()))
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize("name", PROPERTIES)
def test_each_field_is_described_for_editors(name: str) -> None:
    field = PROPERTIES[name]
    assert field["title"]
    assert field["description"].endswith(".")
    assert field.get("deprecated") or field["examples"]
    for example in field.get("examples", []):
        assert list(violations({"name": "a", name: example})) == []


@pytest.mark.parametrize("example", schema()["examples"], ids=["version 1", "version 2"])
def test_each_example_is_a_valid_manifest(example: dict[str, Any]) -> None:
    parsed = parse_text(yaml.safe_dump(example), Path("plugin.yaml"))
    assert parsed.value == example
    assert diagnose(parsed) == []


def test_kinds_equal_those_of_the_contract() -> None:
    assert set(PROPERTIES["kind"]["enum"]) == set(contract.load(contract.DEFAULT).plugin_kinds)


@pytest.mark.parametrize("code", CODES)
def test_each_code_has_an_explanation(code: str) -> None:
    entry = CODES[code]
    assert code.startswith("HS1")
    assert entry.severity in ("error", "warning", "info")
    assert entry.title
    assert entry.why.endswith(".")
    assert entry.fix.endswith(".")


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["FOO", "foo", "external", "int"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "id", "type", "url", "rtl"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*PROPERTIES, "unknown"]), PLAIN, max_size=5))
def test_violations_equal_those_of_jsonschema(manifest: dict[str, Any]) -> None:
    theirs = list(Draft202012Validator(schema()).iter_errors(manifest))
    mistyped = {tuple(error.absolute_path) for error in theirs if error.validator == "type"}
    expected = {
        (tuple(error.absolute_path), error.validator)
        for error in theirs
        if error.validator == "type" or tuple(error.absolute_path) not in mistyped
    }
    assert {(found.path, found.keyword) for found in violations(manifest)} == expected
