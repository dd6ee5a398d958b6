"""Small models of the built-in tools that plugins use most, one module for each subject.

A module is imported when one of its tools is first looked up. The modules must not import the registry, neither
directly nor indirectly.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping

from hermes_sdk.hosts.embedded.builtins.tool import Builtin, ToolContext

_MODULES: Mapping[str, str] = {
    "clarify": "session_tools",
    "delegate_task": "session_tools",
    "image_generate": "images",
    "memory": "memory",
    "patch": "files",
    "read_file": "files",
    "search_files": "search",
    "session_search": "session_tools",
    "skill_view": "skills",
    "skills_list": "skills",
    "terminal": "terminal",
    "text_to_speech": "speech",
    "todo": "todo",
    "todo_list": "todo",
    "video_generate": "videos",
    "web_extract": "web",
    "web_search": "web",
    "write_file": "files",
}
"""Tool -> the module in this package that declares it."""


class _Builtins(Mapping[str, Builtin]):
    """Built-in tools by name; a lookup imports the module of the tool."""

    def __getitem__(self, name: str) -> Builtin:
        tool: Builtin = getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
        return tool

    def __contains__(self, name: object) -> bool:
        return name in _MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


BUILTINS: Mapping[str, Builtin] = _Builtins()

__all__ = ["BUILTINS", "Builtin", "ToolContext"]
