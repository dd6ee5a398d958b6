"""The changes between releases as facts of the contract: what is there before each change, and what after it."""

import itertools

import pytest
from conformance.changes import CHANGES

from hermes_sdk import contract
from hermes_sdk.contract.model import member

FACTS = [
    pytest.param(change, path, before, after, id=f"{name}-{path}")
    for name, change in CHANGES.items()
    for path, (before, after) in change.facts.items()
]
UNCHANGED = (
    "entry_point_group",
    "plugin_kinds",
    "keys_read/plugin.yaml of the loader",
    "dataclasses/PluginManifest",
)

RELEASES = contract.releases()[: contract.releases().index("0.19.0") + 1]
"""Those that the facts above are about."""


def fact(release, path):
    """What the contract has under a path, None when there is nothing.

    Among named things a step is a name, among others a number. ``a..b`` gives the names from one to another, ``#``
    how many there are. Methods are given as signatures.
    """
    loaded = contract.load(release)
    section, *steps = path.split("/")
    found = loaded.section(section) if section in loaded.sections else None
    for step in steps:
        found = None if found is None else below(found, step)
    if isinstance(found, dict) and found.get("kind") == "method":
        return member(steps[-1], found).signature
    return found


def below(found, step):
    if step == "#":
        return len(found)
    if isinstance(found, dict):
        return found.get(step)
    if step.isdigit():
        return found[int(step)] if int(step) < len(found) else None
    names = [one["name"] if isinstance(one, dict) else one for one in found]
    if ".." in step:
        first, last = (names.index(name) for name in step.split(".."))
        return names[first : last + 1]
    if step not in names:
        return None
    one = found[names.index(step)]
    return one if isinstance(one, dict) else True


@pytest.mark.parametrize(("change", "path", "before", "after"), FACTS)
def test_a_fact_holds_on_both_sides_of_a_change(change, path, before, after):
    assert [fact(release, path) for release in (change.before, change.after)] == [before, after]
    assert before != after


@pytest.mark.parametrize("name", CHANGES)
def test_the_two_releases_of_a_change_follow_each_other(name):
    assert (CHANGES[name].before, CHANGES[name].after) in itertools.pairwise(RELEASES)


@pytest.mark.parametrize("path", UNCHANGED)
def test_what_no_release_changed(path):
    first, *others = (fact(release, path) for release in RELEASES)
    assert first is not None
    assert all(one == first for one in others)


def test_no_release_brings_a_validator_for_structured_results():
    assert not any("jsonschema" in contract.load(release).third_party_modules for release in RELEASES)
