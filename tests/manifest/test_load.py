"""`load_yaml` returns the same values as PyYAML's safe loader."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.manifest import load_yaml

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.dates() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
)

UNUSUAL = [
    "",
    "a: 1\na: 2",
    "1: a\n1.0: b\ntrue: c",
    "{<<: {a: 1}, b: 2}",
    "? [1]\n: 2",
    "=",
    "a: 2026-13-01",
    "!local x",
    "[!local x, 2026-13-01]",
    "!!str {a: 1}",
    "!!str [1]",
    "!!map ''",
    "!!seq ''",
    "!!seq {a: 1}",
    "!!int x",
    "!!null [a]",
    "!!set {a}",
    "!!omap [a: 1]",
    "version: 1.10\nnumber: 1_000\noctal: 017\nminutes: 1:30\nswitch: on\nnothing: ~",
]


def outcome(text: str, loader: Any) -> object:
    try:
        return repr(yaml.load(text, Loader=loader)) if loader else repr(load_yaml(text))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("text", UNUSUAL)
def test_unusual_documents_have_the_value_or_error_of_pyyaml(text: str) -> None:
    assert outcome(text, None) == outcome(text, yaml.CSafeLoader)


@given(VALUES)
def test_types_of_values_are_kept(value: Any) -> None:
    text = yaml.safe_dump(value)

    assert outcome(text, None) == outcome(text, yaml.CSafeLoader)


def test_alias_is_the_same_object() -> None:
    value = load_yaml("a: &list [1]\nb: *list")

    assert value["a"] is value["b"]


def test_changes_by_one_reader_do_not_affect_others() -> None:
    load_yaml("listed: [1]")["listed"].append(2)

    assert load_yaml("listed: [1]") == {"listed": [1]}


def test_error_in_a_file_object_contains_its_path(tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("a: [")

    with path.open() as file, pytest.raises(yaml.YAMLError, match=re.escape(str(path))):
        load_yaml(file)
