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
    """Fill a home with enabled plugins, each with one tool and one hook, and return it."""
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


_PLATFORM = """\
from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, SendResult


class Adapter(BasePlatformAdapter):
    def __init__(self, config):
        super().__init__(config, Platform("echo"))

    async def connect(self, **more):
        self._mark_connected()
        return True

    async def disconnect(self):
        self._mark_disconnected()

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        return SendResult(True, "sent")

    async def get_chat_info(self, chat_id):
        return {}


def register(ctx):
    ctx.register_platform(name="echo", label="Echo", adapter_factory=Adapter, check_fn=lambda: True)
"""


def make_platform(home: Path) -> Path:
    """Fill a home with a platform plugin, and return it."""
    directory = home / "plugins" / "echo"
    directory.mkdir(parents=True)
    (directory / "plugin.yaml").write_text("name: echo\nkind: platform\nversion: 1.0.0\ndescription: A platform\n")
    (directory / "__init__.py").write_text(_PLATFORM)
    (home / "config.yaml").write_text("plugins:\n  enabled: [echo]\n")
    return home
