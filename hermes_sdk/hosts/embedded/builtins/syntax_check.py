"""Syntax checks of files that tools write; reports about invalid syntax are not modelled."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from hermes_sdk.hosts.embedded.state import HostState


def lint(name: str, content: str, state: HostState) -> dict[str, str]:
    """Return the syntax report for a file that a tool writes.

    Raises:
        NotSupported: The syntax is invalid, or Hermes checks it with an external program.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix in _CHECKED_BY_PROGRAMS:
        raise state.unsupported(f"check the syntax of {suffix} files with a program of the machine")
    if suffix not in _CHECKS:
        return {"status": "skipped", "message": f"No linter for {suffix} files"}
    check = _CHECKS[suffix]
    if check is _parse_yaml and state.behaviour.yaml_read_by_ruamel:
        check = _parse_yaml_with_ruamel
    try:
        check(content)
    except Exception as error:
        raise state.unsupported("report syntax errors in files that tools write") from error
    return {"status": "ok", "output": ""}


def _parse_yaml(content: str) -> None:
    import yaml

    for _ in yaml.parse(content):
        pass


def _parse_yaml_with_ruamel(content: str) -> None:
    from ruamel.yaml import YAML

    for _ in YAML(typ="safe").parse(content):
        pass


_CHECKED_BY_PROGRAMS = frozenset({".go", ".js", ".rs", ".ts"})
_CHECKS: Mapping[str, Callable[[str], Any]] = {
    ".json": json.loads,
    ".py": ast.parse,
    ".toml": tomllib.loads,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
}
