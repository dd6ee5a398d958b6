"""Comparing contracts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk import contract
from hermes_sdk.contract.diff import Change, compare, diff

names = st.text("abc", min_size=1, max_size=2)
# Values in contracts: mappings, lists of names, lists of named objects, scalars.
facts = st.recursive(
    st.none() | st.integers() | st.text("xy"),
    lambda inner: (
        st.dictionaries(names, inner)
        | st.lists(names, unique=True).map(sorted)
        | st.dictionaries(names, st.dictionaries(names, inner)).map(
            lambda things: [{**things[name], "name": name} for name in sorted(things)]
        )
    ),
    max_leaves=8,
)


def convert_lists(value: Any) -> Any:
    """Convert the lists in a value to mappings, so that changes can be applied by key."""
    if isinstance(value, list):
        value = {item["name"] if isinstance(item, dict) else item: item for item in value}
    return {key: convert_lists(item) for key, item in value.items()} if isinstance(value, dict) else value


def apply_changes(root: dict[str, Any], change: Change) -> None:
    *parents, last = change.path
    for key in parents:
        root = root[key]
    if change.kind == "removed":
        del root[last]
    else:
        root[last] = convert_lists(change.after)


@given(facts)
def test_value_does_not_differ_from_itself(value):
    assert list(compare(("x",), value, value)) == []


@given(facts, facts)
def test_applying_changes_yields_the_second_value(before, after):
    root = {"x": convert_lists(before)}
    for change in compare(("x",), before, after):
        apply_changes(root, change)
    assert root == {"x": convert_lists(after)}


@given(facts, facts)
def test_reversed_diff_removes_added_values(before, after):
    def list_paths(changes, kind):
        return {change.path for change in changes if change.kind == kind}

    forth, back = list(compare(("x",), before, after)), list(compare(("x",), after, before))
    assert list_paths(forth, "added") == list_paths(back, "removed")
    assert list_paths(forth, "changed") == list_paths(back, "changed")


def test_moved_parameter_is_a_change():
    before, after = [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}]
    assert list(compare(("f",), before, after)) == [Change(("f",), "changed", ["a", "b"], ["b", "a"])]


@pytest.mark.parametrize("release", contract.known_releases())
def test_contract_does_not_differ_from_itself(release):
    assert diff(contract.load(release), contract.load(release)) == []


def test_known_changes_between_releases_are_found():
    changes = {change.path: change for change in diff(contract.load("0.18.2"), contract.load("0.19.0"))}
    argument = ("hooks", "post_approval_response", "sometimes", "decided_by")
    assert changes[argument] == Change(argument, "added", None, "decided_by")
    parameter = ("classes", "ContextEngine", "members", "compress", "parameters", "force")
    assert changes[parameter].kind == "added"
    assert changes[("dataclasses", "GatewayConfig", "fields", "profile_routes")].kind == "added"
    assert changes[("slash_commands", "billing")].kind == "removed"
    assert changes[("flags", "tool_result_contract")] == Change(
        ("flags", "tool_result_contract"), "changed", False, True
    )


def test_new_hook_and_new_member_are_found():
    changes = {change.path: change.kind for change in diff(contract.load("0.17.0"), contract.load("0.18.0"))}
    assert changes[("hooks", "pre_verify")] == "added"
    changes = {change.path: change.kind for change in diff(contract.load("0.16.0"), contract.load("0.17.0"))}
    assert changes[("context", "register_middleware")] == "added"


def test_single_difference_between_releases_is_found():
    changes = diff(contract.load("0.15.0"), contract.load("0.15.1"))
    assert {change.path[-1] for change in changes if change.path[0] == "classes"} == {"messages"}


def test_a_release_does_not_differ_from_itself():
    assert diff(contract.load("0.18.2"), contract.load("0.18.2")) == []
