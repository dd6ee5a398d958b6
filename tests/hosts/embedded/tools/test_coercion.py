"""Coercion of arguments that a model wrote as text (C20)."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.hosts.embedded.tools.coercion import coerce

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
TYPES = ["integer", "number", "boolean", "string", "array", "object", "null"]
SCHEMAS = st.one_of(
    st.sampled_from(TYPES).map(lambda kind: {"type": kind}),
    st.lists(st.sampled_from(TYPES), unique=True).map(lambda kinds: {"type": kinds}),
    st.sampled_from(TYPES).map(lambda kind: {"type": kind, "nullable": True}),
    st.sampled_from(TYPES).map(lambda kind: {"anyOf": [{"type": kind}, {"type": "null"}]}),
    st.sampled_from(TYPES).map(lambda kind: {"type": "array", "items": {"type": kind}}),
    st.sampled_from(TYPES).map(lambda kind: {"type": "object", "properties": {"a": {"type": kind}}}),
)


def coerce_value(value: Any, declared: dict[str, Any]) -> Any:
    args = {"x": value}
    coerce("tool", args, {"parameters": {"properties": {"x": declared}}})
    return args["x"]


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        ("42", {"type": "integer"}, 42),
        (" 42 ", {"type": "integer"}, 42),
        ("1e3", {"type": "integer"}, 1000),
        ("4.5", {"type": "integer"}, "4.5"),
        ("4.5", {"type": "number"}, 4.5),
        ("4.0", {"type": "number"}, 4),
        ("nan", {"type": "number"}, "nan"),
        ("-inf", {"type": "number"}, "-inf"),
        ("TRUE", {"type": "boolean"}, True),
        ("yes", {"type": "boolean"}, "yes"),
        ("1", {"type": "boolean"}, "1"),
        ('{"a": 1}', {"type": "object"}, {"a": 1}),
        ("[1]", {"type": "object"}, "[1]"),
        ("[1, 2]", {"type": "array"}, [1, 2]),
        ("one", {"type": "array"}, ["one"]),
        ("[1,", {"type": "array"}, ["[1,"]),
        ("7", {"type": ["integer", "string"]}, 7),
        ("seven", {"type": ["integer", "boolean", "string"]}, "seven"),
        ("null", {"type": "integer"}, "null"),
        ("NULL", {"type": ["integer", "null"]}, None),
        ("null", {"type": "array", "nullable": True}, None),
        ("null", {"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ("42", {"description": "no type"}, "42"),
        ("42", {"type": "string"}, "42"),
    ],
)
def test_text_is_coerced_to_declared_type(text: str, declared: dict[str, Any], expected: Any) -> None:
    value = coerce_value(text, declared)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize("value", [5, 2.5, True, {"a": 1}])
def test_single_value_is_wrapped_when_list_is_declared(value: Any) -> None:
    assert coerce_value(value, {"type": "array"}) == [value]


@pytest.mark.parametrize("value", [None, [], (1, 2)])
def test_none_and_sequences_are_kept_when_list_is_declared(value: Any) -> None:
    assert coerce_value(value, {"type": "array"}) is value


def test_undeclared_arguments_are_unchanged() -> None:
    args = {"known": "1", "unknown": "1"}
    coerce("tool", args, {"parameters": {"properties": {"known": {"type": "integer"}}}})
    assert args == {"known": 1, "unknown": "1"}


@pytest.mark.parametrize("schema", [{}, {"parameters": None}, {"parameters": {}}, {"parameters": {"properties": {}}}])
def test_schema_without_properties_changes_nothing(schema: dict[str, Any]) -> None:
    args = {"x": "1"}
    coerce("tool", args, schema)
    assert args == {"x": "1"}


NESTED = {"type": "array", "items": {"type": "object", "properties": {"tags": {"type": "array"}}}}


def test_json_text_in_lists_and_objects_is_parsed() -> None:
    value = ['{"tags": "[1]"}', {"tags": "[2]"}, "plain"]
    assert coerce_value(value, NESTED) == [{"tags": [1]}, {"tags": [2]}, "plain"]


def test_json_text_in_parsed_object_is_parsed() -> None:
    declared = {"type": "object", "properties": {"tags": {"type": "array"}}}
    text = json.dumps({"tags": "[1]"})
    assert coerce_value(text, declared) == {"tags": [1]}


def test_json_text_in_parsed_list_is_not_parsed() -> None:
    assert coerce_value('["{}"]', NESTED) == ["{}"]


def test_valid_value_stays_same_object() -> None:
    value = [{"tags": [1]}, {"other": "[2]"}]
    assert coerce_value(value, NESTED) is value


def test_wrapping_is_logged_as_in_hermes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    coerce_value(5, {"type": "array"})
    coerce_value("[1,", {"type": "array"})
    messages = [f"{record.levelname} {record.name}: {record.message}" for record in caplog.records]
    assert messages[0] == "INFO model_tools: coerce_tool_args: wrapped bare int in list for tool.x"
    assert messages[1].startswith(
        "WARNING model_tools: coerce_tool_args: failed to parse string as JSON for expected type list: "
    )
    assert messages[2].startswith("WARNING model_tools: coerce_tool_args: tool.x looks like a JSON array string")
    assert messages[3] == "INFO model_tools: coerce_tool_args: wrapped bare string in list for tool.x"


@given(st.integers(-(2**53), 2**53))
def test_integers_are_parsed_exactly(number: int) -> None:
    assert coerce_value(str(number), {"type": "integer"}) == number


@given(JSON, SCHEMAS)
def test_any_value_is_coerced_to_json_without_error(value: Any, declared: dict[str, Any]) -> None:
    json.dumps(coerce_value(value, declared), allow_nan=True)


@given(JSON, st.sampled_from(["integer", "number", "boolean", "string", "object"]))
def test_coercion_is_idempotent(value: Any, kind: str) -> None:
    once = coerce_value(value, {"type": kind})
    assert coerce_value(once, {"type": kind}) is once
