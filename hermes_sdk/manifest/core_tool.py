"""Core-tool files: modules of the host's package ``tools`` that register their tools on import."""

from __future__ import annotations

import ast
from pathlib import Path

from hermes_sdk.errors import UsageError

# The host imports these three explicitly, whether or not they register tools.
_NEVER_DISCOVERED = frozenset({"__init__.py", "registry.py", "mcp_tool.py"})


def is_core_tool(path: Path) -> bool:
    """Return whether a path is a Python file that the host would inspect if it were in `tools`."""
    return path.suffix == ".py" and path.name not in _NEVER_DISCOVERED and path.is_file()


def require_registration(file: Path) -> None:
    """Ensure that the host would import a core-tool file, since it silently skips files without registrations.

    Raises:
        UsageError: The file cannot be read or parsed, or no statement at its top level calls ``registry.register``.
    """
    try:
        body = ast.parse(file.read_bytes()).body
    except (SyntaxError, ValueError) as error:
        # Before 3.11.4, Python raises a ValueError for a null byte.
        problem = error if isinstance(error, SyntaxError) else SyntaxError(str(error))
        where = f"{file}:{problem.lineno or 1}:{problem.offset or 1}"
        fix = "Correct the syntax. The host skips files that it cannot parse."
        raise UsageError(f"this core-tool file is not valid Python: {problem.msg}", where=where, fix=fix) from None
    except (OSError, RecursionError, MemoryError) as error:
        raise UsageError(f"this core-tool file cannot be read: {error}", where=str(file)) from None
    if not any(map(_registers, body)):
        raise UsageError(
            f"{file} registers no tool at its top level, so Hermes would not import the file",
            fix="Call registry.register(name=…, toolset=…, schema=…, handler=…) outside of any function or block,"
            " or pass the directory of a plugin. A shell hook begins with a line such as `#!/usr/bin/env python3`.",
        )


def registers_tool(file: Path) -> bool:
    """Return whether the host would import a file if it were in `tools`."""
    try:
        require_registration(file)
    except UsageError:
        return False
    return True


def _registers(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="registry"), attr="register"))):
            return True
        case _:
            return False
