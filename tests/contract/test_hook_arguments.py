"""Arguments of hooks that a test omits."""

from __future__ import annotations

from typing import Any, Literal, Required

import pytest

from hermes_sdk import contract
from hermes_sdk.contract.hook_arguments import complete_arguments, sample

RELEASES = contract.known_releases()


@pytest.mark.parametrize("release", RELEASES)
def test_every_hook_gets_the_arguments_of_every_call(release: str) -> None:
    facts = contract.load(release)
    for hook, fact in facts.hooks.items():
        assert complete_arguments(facts, hook, {}).keys() == set(fact.always)


def test_passed_arguments_are_kept_and_optional_ones_omitted() -> None:
    facts = contract.load("0.19.0")
    arguments = complete_arguments(facts, "post_tool_call", {"tool_name": "mine", "extra": 1})
    assert (arguments["tool_name"], arguments["extra"]) == ("mine", 1)
    assert not arguments.keys() & set(facts.hooks["post_tool_call"].sometimes)


def test_unknown_hook_gets_only_the_passed_arguments() -> None:
    assert complete_arguments(contract.load("0.19.0"), "unheard_of", {"a": 1}) == {"a": 1}


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (str, "name"),
        (bool, False),
        (int, 0),
        (float, 0.0),
        (dict[str, Any], {}),
        (list[str], []),
        (str | None, None),
        (Literal["first", "second"], "first"),
        (Required[int], 0),
        (Any, None),
        (object, None),
    ],
)
def test_sample_value_depends_on_the_type(hint: Any, value: Any) -> None:
    found = sample("name", hint)
    assert found == value
    assert type(found) is type(value)
