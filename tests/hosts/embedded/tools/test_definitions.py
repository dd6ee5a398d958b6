"""Tool definitions as the model receives them (C12, C14)."""

from __future__ import annotations

import copy
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.hosts.embedded.tools.definitions import ToolEntry, definitions, sanitise


def entry(name: str, schema: Any, check_fn: Any = None) -> ToolEntry:
    return ToolEntry(name, "ts", schema, lambda args, **kwargs: "", check_fn, [], False, "", "", "plugin")


def property_of(schema: Any) -> Any:
    return parameters_of({"type": "object", "properties": {"x": schema}})["properties"]["x"]


def parameters_of(parameters: Any) -> Any:
    return sanitise({"name": "t", "parameters": parameters}, lists_required=False)["parameters"]


def test_definitions_are_sorted_and_have_registered_names() -> None:
    found = definitions(
        [entry("b", {"name": "other", "description": "B"}), entry("a", {"description": "A"})],
        lambda _: True,
        lists_required=False,
    )
    empty = {"type": "object", "properties": {}}
    assert found == [
        {"type": "function", "function": {"name": "a", "description": "A", "parameters": empty}},
        {"type": "function", "function": {"name": "b", "description": "B", "parameters": empty}},
    ]


def test_check_fn_is_called_once_for_all_its_tools() -> None:
    asked: list[Any] = []

    def check() -> bool:
        return False

    def available(check_fn: Any) -> bool:
        asked.append(check_fn)
        return False

    assert definitions([entry("a", {}, check), entry("b", {}, check)], available, lists_required=False) == []
    assert asked == [check]


def test_uncopyable_schema_is_sent_unchanged(caplog: pytest.LogCaptureFixture) -> None:
    found = definitions([entry("a", {"lock": threading.Lock()})], lambda _: True, lists_required=False)
    assert "parameters" not in found[0]["function"]
    assert caplog.messages == ["Schema sanitization skipped: cannot pickle '_thread.lock' object"]


@pytest.mark.parametrize("parameters", [None, "object", [], 5])
def test_invalid_parameters_become_empty_object(parameters: Any) -> None:
    assert parameters_of(parameters) == {"type": "object", "properties": {}}


def test_top_level_is_object_without_combinators() -> None:
    parameters = {"type": "string", "anyOf": [], "oneOf": [], "allOf": [], "enum": [1], "not": {}, "title": "T"}
    assert parameters_of(parameters) == {"type": "object", "properties": {}, "title": "T"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("string", {"type": "string"}),
        ("object", {"type": "object", "properties": {}}),
        ("whatever", {"type": "object", "properties": {}}),
        ({"type": "array", "items": "integer"}, {"type": "array", "items": {"type": "integer"}}),
        ({"type": "object", "additionalProperties": True},
         {"type": "object", "additionalProperties": True, "properties": {}}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer", "null"]},
         {"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": True}),
        ({"type": ["null"]}, {"type": "null"}),
        ({"type": []}, {"type": "object", "properties": {}}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": 3, "title": "T"},
         {"type": "integer", "nullable": True, "title": "T", "default": 3}),
        ({"oneOf": [{"$ref": "#/a"}, {"type": "null"}], "default": None}, {"$ref": "#/a", "nullable": True}),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
         {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
        ({"type": "object", "properties": {"a": {}}, "required": ["a", "b"]},
         {"type": "object", "properties": {"a": {}}, "required": ["a"]}),
        ({"type": "object", "required": ["b"]}, {"type": "object", "properties": {}}),
        ({"$ref": "#/a", "default": 1}, {"$ref": "#/a"}),
        ({"type": "string", "enum": ["string", "object"]}, {"type": "string", "enum": ["string", "object"]}),
        # The host treats all other lists as lists of schemas, including default values.
        ({"type": "array", "default": ["x"]}, {"type": "array", "default": [{"type": "object", "properties": {}}]}),
    ],
)  # fmt: skip
def test_properties_are_rewritten_for_strict_backends(schema: Any, expected: Any) -> None:
    assert property_of(schema) == expected


SCHEMAS = st.recursive(
    st.sampled_from(["string", "junk", True, None, 3, {"type": "string"}, {"type": ["integer", "null"]}]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["type", "properties", "items", "anyOf", "allOf", "required", "default", "$ref", "enum"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(SCHEMAS, st.booleans())
def test_any_schema_is_sent_clean_and_original_is_unchanged(schema: Any, lists_required: bool) -> None:
    function = {"name": "t", "parameters": schema}
    before = copy.deepcopy(function)
    top = sanitise(function, lists_required)["parameters"]
    assert function == before
    assert top["type"] == "object"
    assert isinstance(top["properties"], dict)
    assert not {"anyOf", "oneOf", "allOf", "enum", "not"} & top.keys()
