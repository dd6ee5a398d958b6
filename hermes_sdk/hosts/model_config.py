"""Configuration of a host and its gateway that sends all requests to a scripted model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.contract import Contract
from hermes_sdk.home import Home

# Each section turns off a feature that disturbs tests: network requests, installations into the host's environment,
# subprocesses, or the deferral of tools if there are many.
_QUIET = {
    "security": {"allow_lazy_installs": False, "tirith_enabled": False},
    "auxiliary": {"title_generation": {"enabled": False}},
    "agent": {"environment_probe": False},
    "tools": {"tool_search": {"enabled": "off"}},
}


def write_model(home: Path, base_url: str) -> None:
    """Configure the model at a URL, which ends with ``/v1``; existing values in ``config.yaml`` take precedence.

    Raises:
        UsageError: ``config.yaml`` is not readable YAML.
    """
    from hermes_sdk.llm import CONTEXT_LENGTH, MODEL

    model = {
        "default": MODEL,
        "provider": "custom",
        "base_url": base_url,
        "api_key": "dummy-key",
        "context_length": CONTEXT_LENGTH,
    }
    edited = Home(home)
    edited.update_config(_find_absent({"model": model, **_QUIET}, edited.config))


def keep_tool_search(home: Path, contract: Contract) -> None:
    """Set tool search to the release's default, because `write_model` turns it off.

    Titles of sessions stay off: Hermes requests them in the background at unpredictable times.

    Raises:
        UsageError: ``config.yaml`` is not readable YAML.
    """
    setting = contract.section("default_config")["values"].get("tools", {}).get("tool_search")
    if setting is not None:
        Home(home).update_config({"tools": {"tool_search": setting}})


def write_gateway(home: Path, platforms: Iterable[str], toolsets: Iterable[str]) -> None:
    """Configure a gateway with these platforms and plugin toolsets so that its answers are reproducible.

    Existing values in ``config.yaml`` take precedence.

    Raises:
        UsageError: ``config.yaml`` is not readable YAML.
    """
    edited = Home(home)
    listed = edited.config.get("platform_toolsets")
    cli = listed.get("cli") if isinstance(listed, Mapping) else None
    offered = sorted({*toolsets, *_find_selected_toolsets(edited.config)}) if cli is None else cli
    # Announcements of running tools would arrive before or after the answer at random.
    wanted = {"platform_toolsets": dict.fromkeys(platforms, offered), "display": {"tool_progress": "off"}}
    edited.update_config(_find_absent(wanted, edited.config))


def _find_selected_toolsets(config: Mapping[str, Any]) -> set[str]:
    """Return the toolsets of the configured memory provider and context engine, if plugins provide them."""
    wanted = (("memory", "provider", "memory"), ("context", "engine", "context_engine"))
    builtin = (None, "", "compressor")
    sections = ((config.get(section), key, toolset) for section, key, toolset in wanted)
    return {toolset for one, key, toolset in sections if isinstance(one, Mapping) and one.get(key) not in builtin}


def _find_absent(wanted: Mapping[str, Any], present: Mapping[str, Any]) -> dict[str, Any]:
    """Return the wanted values that are not present."""
    missing: dict[str, Any] = {}
    for key, value in wanted.items():
        current = present.get(key)
        if key not in present:
            missing[key] = value
        elif isinstance(value, Mapping) and isinstance(current, Mapping) and (inner := _find_absent(value, current)):
            missing[key] = inner
    return missing
