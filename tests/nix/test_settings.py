"""Settings that a set adds to a configuration: only these are changed and removed."""

import copy
import itertools
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from nix.programs import settings

from hermes_sdk.errors import UsageError

NAMES = st.lists(st.sampled_from(["alpha", "beta", "gamma", "my plugin", "on"]), unique=True)
VALUES = st.one_of(st.booleans(), st.integers(-5, 5), st.text("ab: #'\"\n", max_size=5), NAMES, st.just({}))


@st.composite
def draw_settings(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the settings of a set."""
    asked: dict[str, Any] = {"plugins": {"enabled": draw(NAMES)}}
    if draw(st.booleans()):
        asked["plugins"]["entries"] = draw(st.dictionaries(st.sampled_from(["alpha", "beta"]), st.just({"x": 1})))
    if draw(st.booleans()):
        asked["memory"] = {"provider": draw(st.sampled_from(["memo", "other"]))}
    if draw(st.booleans()):
        asked["display"] = draw(st.sampled_from(["dark", {"skin": "dark"}, {"skin": {"name": "dark"}}, {}]))
    return asked


@st.composite
def draw_configuration(draw: st.DrawFn) -> str:
    """Draw a user's configuration in a random YAML style."""
    value: dict[str, Any] = {}
    if draw(st.booleans()):
        value["model"] = draw(VALUES)
    if draw(st.booleans()):
        value["plugins"] = draw(
            st.fixed_dictionaries(
                {}, optional={"enabled": NAMES, "disabled": NAMES, "entries": st.just({"zeta": {"y": [1, {"z": 2}]}})}
            )
        )
    if draw(st.booleans()):
        value["memory"] = draw(st.fixed_dictionaries({}, optional={"limit": st.integers(0, 9)}))
    flow = draw(st.sampled_from([None, True, False]))
    text = (
        yaml.safe_dump(value, sort_keys=False, default_flow_style=flow)
        if value
        else draw(st.sampled_from(["", "{}\n"]))
    )
    return draw(st.sampled_from(["", "# Mine.\n"])) + text


def leaves(value: Any) -> dict[tuple[str, ...], Any]:
    return settings._leaves(value or {})


@given(draw_configuration(), st.lists(draw_settings(), min_size=1, max_size=4))
def test_only_added_settings_are_removed(text: str, sets: list[dict[str, Any]]) -> None:
    before = yaml.safe_load(text) or {}
    mine = (before.get("plugins") or {}).get("enabled") or []
    added: dict[str, Any] = {}
    for asked in sets:
        change = settings.change(text, asked, added, "config.yaml")
        now = leaves(yaml.safe_load(change.after))
        assert (
            set(now[settings.ENABLED]) >= {*asked["plugins"]["enabled"], *mine} if settings.ENABLED in now else not mine
        )
        assert {path: now.get(path) for path in leaves(asked) if path != settings.ENABLED} == {
            path: value for path, value in leaves(asked).items() if path != settings.ENABLED
        }
        # A second change with the same settings does nothing.
        again = settings.change(change.after, asked, change.added, "config.yaml")
        assert (again.before, again.after, again.added) == (change.after, change.after, change.added)
        text, added = change.after, change.added
    after = leaves(yaml.safe_load(settings.change(text, {}, added, "config.yaml").after))
    expected = leaves(before)
    assert {path: value for path, value in after.items() if value not in ([], {})} == {
        path: value for path, value in expected.items() if value not in ([], {})
    }


@given(draw_configuration(), draw_settings(), draw_settings())
def test_names_of_both_sets_are_enabled_during_a_switch(text: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    first = settings.change(text, old, {}, "config.yaml")
    change = settings.change(first.after, new, first.added, "config.yaml")
    for state, names in ((change.before, old), (change.before, new), (change.after, new)):
        plugins = (yaml.safe_load(state) or {}).get("plugins") or {}
        assert set(names["plugins"]["enabled"]) <= set(plugins.get("enabled", []))


@given(draw_configuration(), draw_settings(), draw_settings())
def test_interrupted_switch_is_repaired_completely(text: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    first = settings.change(text, old, {}, "config.yaml")
    change = settings.change(first.after, new, first.added, "config.yaml")
    whole = settings.change(change.after, {}, change.added, "config.yaml").after
    for state in (first.after, change.before, change.after):
        repaired = settings.change(state, new, change.recorded, "config.yaml")
        assert yaml.safe_load(settings.change(repaired.after, {}, repaired.added, "c").after) == yaml.safe_load(whole)


COMMENTED = """\
# Mine.
model: x  # the model

plugins:
  # chosen with care
  enabled:
    - gamma  # first
    # between
    - zeta
  disabled: []
display:  # how it looks
  skin: dark
"""


def test_lines_written_by_the_user_are_kept() -> None:
    asked = {"plugins": {"enabled": ["alpha"], "entries": {"alpha": {"x": 1}}}, "memory": {"provider": "memo"}}
    change = settings.change(COMMENTED, asked, {}, "config.yaml")
    assert [line for line in change.after.splitlines() if line in COMMENTED.splitlines()] == COMMENTED.splitlines()
    assert settings.change(change.after, {}, change.added, "config.yaml").after == COMMENTED


@pytest.mark.parametrize(
    "text",
    [
        "memory: {provider: memo, limit: 1}\n",
        "memory: {limit: 1, provider: memo}\n",
        "{memory: {provider: memo}, a: 1}\n",
        "a: 1\nmemory: {provider: memo}\n# end\n",
        "memory:\n  provider: memo\n  # a comment\na: 1\n",
        "memory:\n  provider: |\n    memo\n",
    ],
)
def test_key_is_removed_in_each_yaml_style(text: str) -> None:
    added = {"memory": {"provider": yaml.safe_load(text)["memory"]["provider"]}}
    expected = copy.deepcopy(yaml.safe_load(text))
    del expected["memory"]["provider"]
    done = settings.change(text, {}, added, "config.yaml").after
    assert (yaml.safe_load(done) or {}) == {key: value for key, value in expected.items() if value != {}}
    assert all(line in text for line in done.splitlines() if line.strip().startswith("#"))


def test_setting_that_the_user_changed_is_kept() -> None:
    added = {"memory": {"provider": "memo"}}
    text = "memory:\n  provider: honcho\n"
    assert settings.change(text, {}, added, "config.yaml").after == text


def test_removal_of_a_key_in_an_alias_is_rejected() -> None:
    text = "base: &base {provider: memo}\nmemory: *base\n"
    with pytest.raises(UsageError, match=r"config\.yaml: cannot remove memory\.provider alone"):
        settings.change(text, {}, {"memory": {"provider": "memo"}}, "config.yaml")


def test_enabled_names_keep_the_order_of_the_set() -> None:
    for names in itertools.permutations(["alpha", "beta", "gamma"]):
        change = settings.change("", {"plugins": {"enabled": list(names)}}, {}, "config.yaml")
        assert yaml.safe_load(change.after)["plugins"]["enabled"] == list(names)
