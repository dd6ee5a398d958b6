"""The shipped contract contains everything that a running host reports about itself."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_sdk import contract

# Modules with base classes of providers, found in the host instead of the list of modules that extraction reads.
INTROSPECTION = """
import importlib, inspect, json, pkgutil, sys

import agent
from hermes_cli import plugins

MODULES = [f"agent.{one.name}" for one in pkgutil.iter_modules(agent.__path__) if one.name.endswith("_provider")]
MODULES += ["agent.context_engine", "agent.context_references", "agent.secret_sources.base", "cron.scheduler_provider"]
MODULES += ["gateway.platforms.base", "hermes_cli.dashboard_auth.base"]


def public(owner):
    return sorted(name for name in dir(owner) if not name.startswith("_"))


def providers():
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        for cls in vars(module).values():
            if inspect.isclass(cls) and inspect.isabstract(cls) and cls.__module__ == name:
                yield cls.__name__, {"abstract": sorted(cls.__abstractmethods__), "members": public(cls)}


context = plugins.PluginContext(plugins.PluginManifest(name="probe"), plugins.PluginManager())
found = {
    "hooks": sorted(plugins.VALID_HOOKS),
    "middleware": sorted(plugins.VALID_MIDDLEWARE),
    "context": sorted({*public(plugins.PluginContext), *vars(context)}),
    "providers": dict(providers()),
}
print(json.dumps(found), file=open(sys.argv[1], "w"))
"""

RELEASES = [
    pytest.param(release, marks=pytest.mark.slow) for release in ("0.20.6", "0.21.0", "0.21.3", "0.21.4", "0.21.5")
]


@pytest.fixture(params=["0.19.0", "0.20.2", *RELEASES, "0.22.2"])
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def host(release: str, real_python: Callable[[str], Path], tmp_path: Path) -> dict[str, Any]:
    """Return the report of the release's host about itself."""
    answer = tmp_path / "answer.json"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HERMES_DISABLE_LAZY_INSTALLS": "1"}
    command = [str(real_python(release)), "-B", "-c", INTROSPECTION, str(answer)]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=120)
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


@pytest.mark.real_host
def test_contract_contains_everything_of_a_running_host(release: str, host: dict[str, Any]) -> None:
    shipped = contract.load(release)
    classes = shipped.section("classes")
    assert sorted(shipped.hooks) == host["hooks"]
    assert sorted(shipped.middleware_kinds) == host["middleware"]
    assert sorted(shipped.context) == host["context"]
    assert len(host["providers"]) > 8
    for name, said in host["providers"].items():
        assert classes[name]["abstract"] == said["abstract"], name
        assert {*said["members"]} <= _members(classes, name), name


def _members(classes: Mapping[str, Any], name: str) -> set[str]:
    """Return the members of a class and of its bases."""
    fact = classes.get(name, {"members": {}, "bases": []})
    return {*fact["members"]}.union(*(_members(classes, base) for base in fact["bases"]))


@pytest.mark.parametrize("release", contract.api_releases()[contract.api_releases().index("0.19.0") :])
def test_hooks_keep_the_arguments_of_earlier_releases(release: str) -> None:
    before = contract.load("0.18.2")
    now = contract.load(release)
    lost = {name: fact.arguments - now.hooks[name].arguments for name, fact in before.hooks.items()}
    assert not any(lost.values())
