"""The configuration with which a host, and its gateway, asks a scripted model and nobody else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hermes_sdk.home import Home

# Each section removes something that a test cannot want: a request to the outside, an installation into the host's
# environment, a subprocess, or tools that are put aside when there are many.
_QUIET = {
    "security": {"allow_lazy_installs": False, "tirith_enabled": False},
    "auxiliary": {"title_generation": {"enabled": False}},
    "agent": {"environment_probe": False},
    "tools": {"tool_search": {"enabled": "off"}},
}


def write_model(home: Path, base_url: str) -> None:
    """Make the model behind an address the user's; what ``config.yaml`` sets already stays as it is.

    Args:
        home: The HERMES_HOME.
        base_url: Where the model is served, with its ``/v1``.

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
    edited.update_config(_absent({"model": model, **_QUIET}, edited.config))


def write_gateway(home: Path, platforms: Iterable[str], toolsets: Iterable[str]) -> None:
    """Set what a gateway needs to answer a test in the same way each time; what ``config.yaml`` sets already stays.

    Args:
        home: The HERMES_HOME.
        platforms: The platforms of the plugins.
        toolsets: The toolsets of the plugins' tools.

    Raises:
        UsageError: ``config.yaml`` is not readable YAML.
    """
    edited = Home(home)
    listed = edited.config.get("platform_toolsets")
    cli = listed.get("cli") if isinstance(listed, Mapping) else None
    offered = sorted({*toolsets, *_selected(edited.config)}) if cli is None else cli
    # Told in a chat, the tools that run would come before or after the answer by chance.
    wanted = {"platform_toolsets": dict.fromkeys(platforms, offered), "display": {"tool_progress": "off"}}
    edited.update_config(_absent(wanted, edited.config))


def _selected(config: Mapping[str, Any]) -> set[str]:
    """The toolsets of what the configuration selects: a memory provider, a context engine of a plugin."""
    wanted = (("memory", "provider", "memory"), ("context", "engine", "context_engine"))
    builtin = (None, "", "compressor")
    sections = ((config.get(section), key, toolset) for section, key, toolset in wanted)
    return {toolset for one, key, toolset in sections if isinstance(one, Mapping) and one.get(key) not in builtin}


def _absent(wanted: Mapping[str, Any], present: Mapping[str, Any]) -> dict[str, Any]:
    """The wanted values without those that are present."""
    missing: dict[str, Any] = {}
    for key, value in wanted.items():
        there = present.get(key)
        if key not in present:
            missing[key] = value
        elif isinstance(value, Mapping) and isinstance(there, Mapping) and (inner := _absent(value, there)):
            missing[key] = inner
    return missing
