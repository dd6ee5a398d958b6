"""Stands in for ``tools.delegate_tool``, which starts further agents; what reads or calls its functions is refused."""

from __future__ import annotations

from hermes_sdk.hosts.embedded.standins.refused import refused

__all__ = ["_build_child_agent", "_build_dynamic_schema_overrides", "delegate_task"]

_build_child_agent = refused(__spec__, "_build_child_agent")
_build_dynamic_schema_overrides = refused(__spec__, "_build_dynamic_schema_overrides")
delegate_task = refused(__spec__, "delegate_task")
