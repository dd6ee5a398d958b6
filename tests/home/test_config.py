"""Edits of `config.yaml` change only the requested keys."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.errors import UsageError
from hermes_sdk.home.config import REMOVED, edit_config, parse_config
from hermes_sdk.manifest import load_yaml

WHERE = "config.yaml"


def edit(text: str, changes: dict[str, Any]) -> str:
    return edit_config(text, changes, WHERE)


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("", {"a": {"b": 1}}, "a:\n  b: 1\n"),
        ("# only a comment", {"a": 1}, "# only a comment\na: 1\n"),
        ("{}\n", {"a": [1]}, "a:\n  - 1\n"),
        ("a: 1   # why\n", {"a": 2}, "a: 2   # why\n"),
        ("a: 1", {"b": 2}, "a: 1\nb: 2\n"),
        ("a:   # why\nb: 1\n", {"a": {"c": [1]}}, "a:   # why\n  c:\n    - 1\nb: 1\n"),
        ("a: {}  # why\n", {"a": {"c": 1}}, "a:  # why\n  c: 1\n"),
        ("a: {b: 1,  c: 2}\n", {"a": {"b": 3}}, "a: {b: 3,  c: 2}\n"),
        ("a: {b: 1}\n", {"a": {"c": [2]}}, "a: {b: 1, c: [2]}\n"),
        ("a: [1, 2] # why\n", {"a": [2, 3]}, "a: [2, 3] # why\n"),
        ("a:\n- x\n- z\n", {"a": ["x", "w", "z"]}, "a:\n- x\n- w\n- z\n"),
        ("a: # why\n  - x # one\n  # two\n  - y\n# three\n", {"a": []}, "a: [] # why\n  # two\n# three\n"),
        ("a:\n  - x\n\n# next\nb: 1\n", {"a": ["x", "w"]}, "a:\n  - x\n  - w\n\n# next\nb: 1\n"),
        ("a: ~\n", {"a": "x"}, "a: x\n"),
        ("a:\n  b: 1\n\nd: 1\n", {"a": 5}, "a: 5\n\nd: 1\n"),
        ("a: |\n  text\nb: 1\n", {"a": "x\ny"}, 'a: "x\\ny"\nb: 1\n'),
        ("a: 1\r\nb: 2\r\n", {"b": 3}, "a: 1\r\nb: 3\r\n"),
        ("'ключ': 🙂 # 🙂\nb: 2\n", {"b": "on"}, "'ключ': 🙂 # 🙂\nb: 'on'\n"),
        ("a: 1\na: 2\n", {"a": 3}, "a: 1\na: 3\n"),
        ("a: 1\n", {"a": True}, "a: true\n"),
        ("a:\n  - x\n  - w\n", {"a": ["w", "x"]}, "a:\n  - w\n  - x\n"),
        ("a:\n  - {b: 1}\n# next\n", {"a": [{"b": 2}]}, "a:\n  - b: 2\n# next\n"),
        ("a:\n  b: 1\n  c: 2\n", {"a": {"b": [1]}}, "a:\n  b:\n    - 1\n  c: 2\n"),
        ("a: [1]\nb: &x 1\n", {"a": [1]}, "a: [1]\nb: &x 1\n"),
        ("# one\na: 1\n# two\nb: 2\n", {"a": REMOVED}, "# one\n# two\nb: 2\n"),
        ("a:\n  b: 1 # why\n  c: {d: 2}\n", {"a": {"c": REMOVED}}, "a:\n  b: 1 # why\n"),
        ("a: {b: 1, c: 2} # why\n", {"a": {"c": REMOVED}}, "a: {b: 1} # why\n"),
        ("a:\n  b: 1\nc: 2\n", {"a": {"b": REMOVED}}, "a: {}\nc: 2\n"),
        ("a: 1\n", {"b": REMOVED, "c": {"d": REMOVED}}, "a: 1\nc: {}\n"),
    ],
)
def test_edit_returns_changed_text(before: str, changes: dict[str, Any], after: str) -> None:
    assert edit(before, changes) == after


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1\nb: 2\n", "config.yaml:2:2: not valid YAML"),
        ("\ta: 1\n", "config.yaml:1:1: not valid YAML"),
        ("a: 1\nb: 'c\nd: 'e'\n", "config.yaml:2:4: not valid YAML: this quote is never closed"),
        ("- a\n", "config.yaml:1:1: the configuration is not a mapping"),
        ("a: 2026-13-01\n", "config.yaml: not valid YAML"),
        ("a: &x {b: 1}\nc: *x\n", "config.yaml: the change would affect other keys of the file"),
    ],
)
def test_edit_is_rejected_when_it_cannot_be_exact(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        edit(text, {"c": {"b": 2}, "a": {"a": {"a": 1}}})
    assert str(caught.value).startswith(message)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=8),
    st.sampled_from(["on", "5", "1.10", "~", "a: b", "# x", "é🙂"]),
)
# Sorted, because comments of a list in a new order cannot stay with their items.
LISTS = st.lists(SCALARS, max_size=4, unique_by=repr).map(lambda items: sorted(items, key=repr))


def mappings(leaves: dict[str, st.SearchStrategy[Any]], depth: int) -> st.SearchStrategy[dict[str, Any]]:
    """Draw mappings in which a key always has the same kind of value: s0 a scalar, l0 a list, m0 a mapping."""
    below = {"m0": mappings(leaves, depth - 1), "m1": mappings(leaves, depth - 1)} if depth else {}
    return st.fixed_dictionaries({}, optional={**leaves, **below})


CONFIGS = mappings({"s0": SCALARS, "s1": SCALARS, "l0": LISTS, "l1": LISTS}, 2)


@st.composite
def write_with_comments(draw: st.DrawFn, config: dict[str, Any]) -> str:
    """Write a configuration as people do: with comments and blank lines, and some parts on one line."""
    style = draw(st.sampled_from([None, False]))
    text = yaml.safe_dump(config, default_flow_style=style, allow_unicode=True, width=9999, sort_keys=False)
    if re.search(r"\n\n|\\\n|[\x85\u2028\u2029]", text):  # A value has several lines.
        return text
    lines: list[str] = []
    for number, line in enumerate(text.splitlines()):
        lines += draw(st.sampled_from([[], [""], [f"# note {number}"], [f"      # note {number}", ""]]))
        lines.append(line)
    return "\n".join([*lines, draw(st.sampled_from(["", "# end", "# end\n", "\n"]))])


def merge(old: Any, changes: Any) -> Any:
    if not isinstance(changes, dict):
        return changes
    base = old if isinstance(old, dict) else {}
    return {**base, **{key: merge(base.get(key), value) for key, value in changes.items()}}


@given(st.data(), CONFIGS, CONFIGS)
def test_edit_changes_its_keys_and_keeps_all_comments(
    data: st.DataObject, config: dict[str, Any], changes: dict[str, Any]
) -> None:
    text = data.draw(write_with_comments(config))
    comments = [line.strip() for line in text.splitlines() if line.strip().startswith("# ")]

    edited = edit(text, changes)

    assert repr(sorted_deep(load_yaml(edited) or {})) == repr(sorted_deep(merge(load_yaml(text) or {}, changes)))
    assert [line.strip() for line in edited.splitlines() if line.strip().startswith("# ")] == comments


@given(st.data(), CONFIGS.filter(bool))
def test_removing_a_key_keeps_the_others(data: st.DataObject, config: dict[str, Any]) -> None:
    text = data.draw(write_with_comments(config))
    config = load_yaml(text)  # Loaded again, because `write_with_comments` may replace other line breaks with newlines.
    path, remaining = [], config
    while not path or (isinstance(remaining, dict) and remaining and data.draw(st.booleans())):
        path.append(data.draw(st.sampled_from(sorted(remaining))))
        holder, remaining = remaining, remaining[path[-1]]
    changes: Any = REMOVED
    for key in reversed(path):
        changes = {key: changes}

    edited = edit(text, changes)

    del holder[path[-1]]
    assert repr(sorted_deep(load_yaml(edited) or {})) == repr(sorted_deep(config))


def sorted_deep(value: Any) -> Any:
    return sorted((key, sorted_deep(item)) for key, item in value.items()) if isinstance(value, dict) else value


@given(st.text(st.sampled_from("ab:-# \n\t[]{}&*|>'\",?!1"), max_size=60), CONFIGS)
def test_edit_of_any_text_is_exact_or_rejected(text: str, changes: dict[str, Any]) -> None:
    with contextlib.suppress(UsageError):
        edited = edit(text, changes)
        assert sorted_deep_repr(load_yaml(edited)) == sorted_deep_repr(merge(load_yaml(text), changes))


def sorted_deep_repr(value: Any) -> str:
    return repr(sorted(map(repr, value.items()))) if isinstance(value, dict) else repr(value or [])


@pytest.mark.parametrize("text", ["a: [", "- a", "text", "a: !x 1", "a: 1\n---\nb: 1"])
def test_unreadable_configuration_counts_as_empty(text: str) -> None:
    config, problem = parse_config(text)

    assert config == {}
    assert problem
    assert "\n" not in problem


def test_readable_configuration_has_no_problem() -> None:
    assert parse_config("a: {b: 1}") == ({"a": {"b": 1}}, "")
    assert parse_config("") == ({}, "")


def test_name_is_quoted_when_newer_hosts_read_it_as_boolean() -> None:
    assert edit_config("", {"plugins": {"enabled": ["y", "x"]}}, "f") == "plugins:\n  enabled:\n    - 'y'\n    - x\n"
