"""Behaviour flags, and the profile of what the public documents promise."""

import inspect
from pathlib import Path

import pytest
from packaging.version import Version

from hermes_sdk import contract
from hermes_sdk.contract.loader import behaviour_flags
from hermes_sdk.contract.overlay import Difference, read_overlay

CASES = Path(__file__).parents[1] / "conformance"
OVERLAY = read_overlay(Path(inspect.getfile(contract)).parent / "overlays", "documented")


@pytest.mark.parametrize("flag", behaviour_flags(), ids=lambda flag: flag["name"])
def test_a_flag_is_on_from_its_release_on(flag):
    releases = contract.known_releases()
    on = [release for release in releases if getattr(contract.load(release).behaviour, flag["name"])]
    if flag["since"] == "documented":
        assert on == []
    else:
        until = flag.get("until")
        assert on == [
            release
            for release in releases
            if Version(release) >= Version(flag["since"]) and not (until and Version(release) >= Version(until))
        ]
        assert {flag["since"], until or flag["since"]} <= {*releases, "0.20.1"}


def test_flags_have_their_own_names_and_say_what_they_mean():
    names = [flag["name"] for flag in behaviour_flags()]
    assert len(set(names)) == len(names)
    assert all(flag["statement"] and flag["meaning"].endswith(".") for flag in behaviour_flags())


@pytest.mark.parametrize("flag", [flag for flag in behaviour_flags() if "case" in flag], ids=lambda flag: flag["name"])
def test_the_case_of_a_flag_exists(flag):
    statement, _, name = flag["case"].partition("-")
    texts = [path.read_text(encoding="utf-8") for path in CASES.glob("cases_*.py")]
    assert statement == flag["statement"]
    assert any(f"def {name}(" in text for text in texts)


def test_what_only_documents_promise_comes_from_one_difference_each():
    only_documented = {flag["name"] for flag in behaviour_flags() if flag["since"] == "documented"}
    set_to_true = sorted(name for one in OVERLAY.differences for name, on in one.flags.items() if on)
    assert sorted(set(set_to_true)) == set_to_true
    assert only_documented <= set(set_to_true)
    assert all(getattr(contract.load("documented").behaviour, name) for name in set_to_true)


@pytest.mark.parametrize("difference", OVERLAY.differences, ids=lambda difference: difference.id)
def test_each_difference_changes_something(difference):
    base, documented = contract.load(OVERLAY.base), contract.load("documented")
    before, after = vars(base.behaviour), vars(documented.behaviour)
    assert set(difference.flags) <= set(before)
    assert all(before[name] != on == after[name] for name, on in difference.flags.items())
    paths = [path.split(".")[0] for path in (*difference.set, *difference.remove)]
    assert all(base.section(name) != documented.section(name) for name in paths)
    assert difference.flags or paths
    assert difference.source in {"s0", "s1", "s2", "s3", "s4"}
    assert difference.statement.endswith(".")


def test_documented_is_no_release_and_not_proven():
    assert "documented" not in contract.releases()
    assert contract.load("documented").grade == "documents"
    assert contract.load("documented").release == "documented"


def test_documented_does_not_leak_into_its_base():
    assert "register_memory_provider" in contract.load("documented").context
    assert "register_memory_provider" not in contract.load("0.19.0").context
    assert len(contract.load("documented").hooks) == 15


def test_a_tool_needs_no_toolset_when_documents_are_believed():
    assert contract.load("documented").context["register_tool"].parameters[1].default == "None"


@pytest.mark.parametrize("release", ["documented", "0.19.0"])
def test_the_hello_world_callback_of_the_plugins_page_raises(release):
    def on_tool_call(tool_name, params, result): ...

    arguments = dict.fromkeys(contract.load(release).hooks["post_tool_call"].always)
    with pytest.raises(TypeError):
        inspect.signature(on_tool_call).bind(**arguments)


@pytest.mark.parametrize("release", ["documented", "0.19.0"])
def test_the_callback_of_the_guide_gets_what_it_names(release):
    def on_post_tool_call(tool_name, args, result, task_id, **kwargs): ...

    arguments = dict.fromkeys(contract.load(release).hooks["post_tool_call"].always)
    assert inspect.signature(on_post_tool_call).bind(**arguments)


def test_amending_sets_and_removes_by_path():
    facts = {"run": {"parameters": [{"name": "a"}, {"name": "b"}]}, "stop": {}}
    change = Difference(
        "x", "s0", "It is so.", {"context.run.parameters.b.default": "1"}, ("context.stop", "hooks.run")
    )
    change.amend("context", facts)
    assert facts == {"run": {"parameters": [{"name": "a"}, {"name": "b", "default": "1"}]}}
