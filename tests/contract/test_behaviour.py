"""Behaviour flags: their releases and meanings."""

import pytest
from packaging.version import Version

from hermes_sdk import contract
from hermes_sdk.contract.behaviour import FLAGS, read_meanings
from hermes_sdk.contract.overlay import Difference


@pytest.mark.parametrize("name", FLAGS)
def test_flag_is_on_from_its_release(name):
    since, _, until = FLAGS[name]
    releases = contract.known_releases()
    assert [release for release in releases if getattr(contract.load(release).behaviour, name)] == [
        release
        for release in releases
        if Version(release) >= Version(since) and not (until and Version(release) >= Version(until))
    ]
    assert {since, until or since} <= {*releases, "0.20.1"}


def test_every_flag_is_described_in_one_sentence():
    meanings = read_meanings()
    assert meanings.keys() == FLAGS.keys()
    assert all(meaning.endswith(".") for meaning in meanings.values())


def test_flags_are_sorted_by_name():
    assert [*FLAGS] == sorted(FLAGS)


def test_amending_facts_sets_and_removes_values_by_path():
    facts = {"run": {"parameters": [{"name": "a"}, {"name": "b"}]}, "stop": {}}
    change = Difference(
        "x", "s0", "It is so.", {"context.run.parameters.b.default": "1"}, ("context.stop", "hooks.run")
    )
    change.amend("context", facts)
    assert facts == {"run": {"parameters": [{"name": "a"}, {"name": "b", "default": "1"}]}}
