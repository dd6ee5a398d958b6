"""Decisions about loading that do not need a running host; `tests/conformance` compares others with the real host."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_sdk.hosts.embedded.loading.discovery import PluginManifest
from hermes_sdk.hosts.embedded.loading.gate import Gate

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["enabled", "disabled", "p"]), inner),
    max_leaves=6,
)


@given(plugins=VALUES)
def test_gate_accepts_any_plugins_section(plugins: Any) -> None:
    refusal = Gate({"plugins": plugins}).find_refusal(PluginManifest("p", key="p"))
    assert refusal is None or isinstance(refusal, str)


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({}, "not enabled in config (run `hermes plugins enable tools/p` to activate)"),
        ({"enabled": ["tools/p"]}, None),
        ({"enabled": ["p"]}, None),
        ({"enabled": ["tools/p"], "disabled": ["p"]}, "disabled via config"),
        ({"enabled": "p"}, "not enabled in config (run `hermes plugins enable tools/p` to activate)"),
        ({"enabled": ["p", []]}, "not enabled in config (run `hermes plugins enable tools/p` to activate)"),
    ],
)
def test_plugin_is_listed_by_key_or_name(config: dict[str, Any], reason: str | None) -> None:
    assert Gate({"plugins": config}).find_refusal(PluginManifest("p", key="tools/p")) == reason


@pytest.mark.parametrize("granted", [True, 1, "no"])
def test_any_truthy_value_allows_override(granted: Any) -> None:
    config = {"plugins": {"entries": {"p": {"allow_tool_override": granted}}}}
    assert Gate(config).may_override(PluginManifest("p", key="p"))
    assert not Gate(config).may_override(PluginManifest("q", key="q"))
