"""Homes with small plugins, for both hosts."""

from __future__ import annotations

from pathlib import Path

_MANIFEST = """\
name: {name}
version: 1.0.0
description: A small plugin
author: Nobody
provides_tools:
  - {tool}
provides_hooks:
  - post_tool_call
"""

_MODULE = """\
SCHEMA = {{"name": "{tool}", "description": "Does nothing", "parameters": {{"type": "object", "properties": {{}}}}}}


def handle(args, **kwargs):
    return "{{}}"


def after(**kwargs):
    return None


def register(ctx):
    ctx.register_tool(name="{tool}", toolset="bench", schema=SCHEMA, handler=handle)
    ctx.register_hook("post_tool_call", after)
"""


def make_home(home: Path, count: int) -> Path:
    """Fill a home with plugins, of one tool and one hook each, that are enabled, and return it."""
    names = [f"small-plugin-{number:04d}" for number in range(count)]
    for name in names:
        directory = home / "plugins" / name
        directory.mkdir(parents=True)
        facts = {"name": name, "tool": f"tool_{name[-4:]}"}
        (directory / "plugin.yaml").write_text(_MANIFEST.format(**facts))
        (directory / "__init__.py").write_text(_MODULE.format(**facts))
    enabled = "".join(f"    - {name}\n" for name in names)
    (home / "config.yaml").write_text(f"plugins:\n  enabled:\n{enabled}")
    return home
