"""Whether what is written into a file can be read as what its name says."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

DATA = frozenset({".json", ".toml", ".yaml", ".yml"})
"""Files that are not written at all when they cannot be read."""


def problem(name: str, content: str) -> str | None:
    """Return the host's words for why a file could not be read, or None; there are no words for most kinds of file."""
    check = _CHECKS.get(PurePath(name).suffix.lower())
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


def lint(name: str, before: str | None, content: str) -> dict[str, str]:
    """What a tool tells about the content of a file that it wrote.

    Args:
        name: The file.
        before: What was in it, None for a new file.
        content: What is in it now.
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in _CHECKS:
        return {"status": "skipped", "message": f"No linter for {suffix} files"}
    found = problem(name, content)
    if found is None:
        return {"status": "ok", "output": ""}
    earlier = problem(name, before) if before is not None else None
    if earlier is None:
        return {"status": "error", "output": found}
    known = {line.strip() for line in earlier.splitlines()}
    fresh = [line for line in found.splitlines() if line.strip() and line.strip() not in known]
    if fresh:
        told = "New lint errors introduced by this edit (pre-existing errors filtered out):\n"
        return {"status": "error", "output": told + "\n".join(fresh)}
    note = "Pre-existing lint errors — this edit didn't introduce new ones but the file is still broken."
    return {"status": "error", "output": found, "message": note}


def _yaml(content: str) -> None:
    import yaml

    for _ in yaml.parse(content):
        pass


_CHECKS: Mapping[str, Callable[[str], Any]] = {
    ".json": json.loads,
    ".py": ast.parse,
    ".toml": tomllib.loads,
    ".yaml": _yaml,
    ".yml": _yaml,
}
