"""What a plugin's own tests use. Must not import `check`, `scaffold` or `cli`.

The fixture ``hermes`` comes with the pytest plugin; `Host` is its type. The model is scripted with `say`, `call`,
`fail` and `interrupt`::

    def test_it(hermes: Host) -> None:
        hermes.llm.script(call("add", a=1, b=2), say("three"))
        assert hermes.chat("What is 1 + 2?").reply == "three"
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.hosts.base import Host
from hermes_sdk.hosts.results import ToolResult
from hermes_sdk.hosts.turns import Turn

if TYPE_CHECKING:
    from hermes_sdk.llm import call, fail, interrupt, say

__all__ = ["Host", "ToolResult", "Turn", "call", "fail", "interrupt", "say"]


def __getattr__(name: str) -> Any:
    if name in ("call", "fail", "interrupt", "say"):
        from hermes_sdk import llm

        return getattr(llm, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
