"""Suggested fixes for exceptions of plugins, based on the tracebacks of both hosts."""

from __future__ import annotations

import pytest

from hermes_sdk import contract
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.exception_hints import suggest_fix
from hermes_sdk.hosts.interface import HostKind

RELEASE = "0.19.0"
FIXES = {
    "os.environ['ROLL_KEY']": "Set 'ROLL_KEY' in the environment",
    "{}['units']": "Provide the key 'units'",
    "__import__('dice')": "Write `from . import dice`",
    "from .nothing import here": "Correct the import: the plugin has no module nothing.",
    "import nowhere_at_all": "Install nowhere_at_all",
    "ctx.register_tool('a', 't', {}, print, is_asnyc=True)": "ctx.register_tool of Hermes 0.19.0 has no is_asnyc=",
    "ctx.add_tool('roll')": "Hermes 0.19.0 has no ctx.add_tool; did you mean 'register_tool'?",
    "ctx.register_skill('notes', 'SKILL.md')": "Pass the path as a pathlib.Path",
    "open('data.json')": "Build the path from `Path(__file__).parent`",
}
"""Line in the source of a plugin -> suggested fix."""


@pytest.mark.parametrize("kind", ["embedded", pytest.param("real", marks=pytest.mark.real_host)])
def test_fix_is_suggested_for_tracebacks_of_both_hosts(kind: HostKind, real_python) -> None:
    if kind == "real":
        real_python(RELEASE)
    with Home.temporary() as home:
        for number, line in enumerate(FIXES):
            folder = home.plugins_dir / f"p{number}"
            folder.mkdir(parents=True)
            (folder / "plugin.yaml").write_text(f"name: p{number}\nkind: standalone\n", encoding="utf-8")
            (folder / "dice.py").write_text("", encoding="utf-8")
            (folder / "__init__.py").write_text(f"def register(ctx):\n    import os\n    {line}\n", encoding="utf-8")
            home.enable(f"p{number}")
        with open_host(kind, RELEASE, home) as host:
            tracebacks = {one.where.split()[-1]: one.traceback for one in host.swallowed}
            found = [suggest_fix(tracebacks[f"p{number}"], contract.load(RELEASE)) for number in range(len(FIXES))]
    for fix, expected in zip(found, FIXES.values(), strict=True):
        assert fix.startswith(expected)


@pytest.mark.parametrize(
    ("exception", "fix"),
    [
        (
            "AttributeError: 'PluginContext' object has no attribute 'register_middleware'",
            "Hermes 0.13.0 has no ctx.register_middleware; it exists since 0.17.0.",
        ),
        (
            "TypeError: PluginContext.register_tool() got an unexpected keyword argument 'override'",
            "ctx.register_tool of Hermes 0.13.0 has no override=; it exists since 0.14.0.",
        ),
        (
            "TypeError: PluginContext.register_hook() got an unexpected keyword argument 'zzz'",
            "ctx.register_hook of Hermes 0.13.0 has no zzz=; it takes hook_name, callback.",
        ),
    ],
)
def test_fix_names_what_release_lacks(exception: str, fix: str) -> None:
    traceback = f"Traceback (most recent call last):\n{exception}\n"
    assert suggest_fix(traceback, contract.load("0.13.0")) == fix


def test_no_fix_for_other_exceptions() -> None:
    assert suggest_fix("Traceback (most recent call last):\nValueError: no\n", contract.load(RELEASE)) == ""
    assert suggest_fix("", contract.load(RELEASE)) == ""
