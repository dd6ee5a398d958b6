"""Syntax checks of the files that tools write."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from hermes_sdk.contract import Behaviour

DATA_SUFFIXES = frozenset({".json", ".toml", ".yaml", ".yml"})
"""Suffixes of files that are not written if their syntax is invalid."""


def find_syntax_error(name: str, content: str, behaviour: Behaviour) -> str | None:
    """Return the host's message for content with invalid syntax, or None; most kinds of file are not checked."""
    check = _CHECKS.get(PurePath(name).suffix.lower())
    if check is _parse_yaml and behaviour.yaml_read_by_libyaml:
        check = _parse_yaml_with_libyaml
    try:
        if check is not None:
            check(content)
    except json.JSONDecodeError as error:
        return f"JSONDecodeError: {error.msg} (line {error.lineno}, column {error.colno})"
    except SyntaxError as error:
        where = f" (line {error.lineno}, column {error.offset})" if error.lineno else ""
        return f"{type(error).__name__}: {error.msg}{where}"
    except Exception as error:
        return f"{'YAMLError' if type(error).__module__.startswith('yaml') else type(error).__name__}: {error}"
    return None


def lint(name: str, before: str | None, content: str, behaviour: Behaviour) -> dict[str, str]:
    """Report the syntax errors in a file that a tool wrote; `before` is its earlier content, None for a new file."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in _CHECKS:
        return {"status": "skipped", "message": f"No linter for {suffix} files"}
    found = find_syntax_error(name, content, behaviour)
    if found is None:
        return {"status": "ok", "output": ""}
    earlier = find_syntax_error(name, before, behaviour) if before is not None else None
    if earlier is None:
        return {"status": "error", "output": found}
    known = {line.strip() for line in earlier.splitlines()}
    fresh = [line for line in found.splitlines() if line.strip() and line.strip() not in known]
    if fresh:
        title = "New lint errors introduced by this edit (pre-existing errors filtered out):\n"
        return {"status": "error", "output": title + "\n".join(fresh)}
    note = "Pre-existing lint errors — this edit didn't introduce new ones but the file is still broken."
    return {"status": "error", "output": found, "message": note}


def _parse_yaml(content: str) -> None:
    import yaml

    for _ in yaml.parse(content):
        pass


def _parse_yaml_with_libyaml(content: str) -> None:
    import yaml

    for _ in yaml.parse(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass


_CHECKS: Mapping[str, Callable[[str], Any]] = {
    ".json": json.loads,
    ".py": ast.parse,
    ".toml": tomllib.loads,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
}
