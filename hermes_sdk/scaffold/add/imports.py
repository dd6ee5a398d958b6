"""Imports for added code: reuse existing ones, or insert new ones in sorted order."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from typing import NamedTuple

from hermes_sdk.scaffold.add.code import Code, first_line, indentation, last_line

_LONGEST_LINE = 88


def ensure_import(code: Code, module: str, name: str = "") -> str:
    """Import a module, or a name from it, unless the file already does; return the local name.

    Args:
        module: The module, with leading dots for a relative import.
        name: The name; empty for the module itself.
    """
    return _ensure_import(code, _leading_imports(code.tree.body), module, name, "")


def ensure_type_import(code: Code, module: str, name: str) -> str:
    """Import a name under ``if TYPE_CHECKING:`` unless the file already does; return it."""
    block = next((node for node in code.tree.body if isinstance(node, ast.If) and _is_type_checking(node.test)), None)
    if block is None:
        flag = ensure_import(code, "typing", "TYPE_CHECKING")
        run = _leading_imports(code.tree.body)
        code.insert(last_line(run[-1]), f"\nif {flag}:\n    from {module} import {name}\n")
        return name
    indent = indentation(code.lines[block.body[0].lineno - 1])
    return _ensure_import(code, _leading_imports(block.body) or block.body[:1], module, name, indent)


def type_hint(code: Code, text: str, *names: str) -> str:
    """Return an annotation with names of `hermes_sdk.api`, quoted if annotations are evaluated at run time."""
    for name in names:
        ensure_type_import(code, "hermes_sdk.api", name)
    return f'"{text}"' if names and _evaluates_annotations(code) else text


def _evaluates_annotations(code: Code) -> bool:
    """Return whether Python evaluates the file's annotations at run time."""
    return not any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in code.tree.body)


def _is_type_checking(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def _leading_imports(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the imports at the top of a block, after its docstring."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif found or not _is_docstring(node):
            break
    return found


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _ensure_import(code: Code, run: list[ast.stmt], module: str, name: str, indent: str) -> str:
    for node in run:
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            if _module_name(node) == (module if name else "") and alias.name == (name or module):
                return alias.asname or alias.name
    wanted = name or module
    local = wanted if wanted not in code.names else _find_free_name(code, f"_{wanted}")
    alias = ast.alias(wanted, None if local == wanted else local)
    if name and _extend_import(code, run, module, alias):
        return local
    spelled = ast.unparse(alias)
    _insert_import(code, run, f"from {module} import {spelled}\n" if name else f"import {spelled}\n", module, indent)
    return local


def _find_free_name(code: Code, name: str) -> str:
    return next(free for free in (name + "_" * count for count in range(100)) if free not in code.names)


def _module_name(node: ast.stmt) -> str:
    """Return the module of a ``from`` import as written; empty for a plain import."""
    return "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""


def _extend_import(code: Code, run: list[ast.stmt], module: str, alias: ast.alias) -> bool:
    """Add a name to an existing import of the module in standard format; return whether there was such an import."""
    for node in run:
        if isinstance(node, ast.ImportFrom) and _module_name(node) == module:
            before = "".join(code.lines[node.lineno - 1 : last_line(node)])
            indent = indentation(before)
            if before.rstrip("\r\n") in (_format_one_line(node, indent), _format_several_lines(node, indent, code)):
                names = sorted([*node.names, alias], key=lambda one: _name_sort_key(one.name))
                longer = ast.ImportFrom(node.module, names, node.level)
                after = _format_one_line(longer, indent)
                if "(" in before or len(after) > _LONGEST_LINE:
                    after = _format_several_lines(longer, indent, code)
                code.replace(node.lineno, last_line(node), after + before[len(before.rstrip("\r\n")) :])
                return True
    return False


def _format_one_line(node: ast.ImportFrom, indent: str) -> str:
    return indent + ast.unparse(node)


def _format_several_lines(node: ast.ImportFrom, indent: str, code: Code) -> str:
    names = [f"{indent}{code.unit}{ast.unparse(alias)}," for alias in node.names]
    return code.newline.join([f"{indent}from {_module_name(node)} import (", *names, f"{indent})"])


def _name_sort_key(name: str) -> tuple[int, str]:
    """Return a sort key that puts constants before classes and classes before other names."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name)


class _ImportKey(NamedTuple):
    """Sort key of an import."""

    section: int
    is_from: bool
    dots: int
    module: str


def _import_key(module: str, *, is_from: bool) -> _ImportKey:
    top = module.partition(".")[0]
    dots = len(module) - len(module.lstrip("."))
    section = 0 if top == "__future__" else 3 if dots else 1 if top in sys.stdlib_module_names else 2
    return _ImportKey(section, is_from, -dots, module.lstrip(".").lower())


def _import_key_of(node: ast.stmt) -> _ImportKey:
    if isinstance(node, ast.Import):
        return _import_key(node.names[0].name, is_from=False)
    return _import_key(_module_name(node), is_from=True)


def _insert_import(code: Code, run: list[ast.stmt], line: str, module: str, indent: str) -> None:
    """Insert an import in sorted order, separated from other sections by an empty line."""
    if not run:
        body = code.tree.body
        if body and _is_docstring(body[0]):
            code.insert(last_line(body[0]), f"\n{line}")
        else:
            code.insert(first_line(body[0]) - 1 if body else len(code.lines), f"{line}\n\n" if body else line)
        return
    mine = _import_key(module, is_from=line.startswith("from"))
    after = next((node for node in run if _import_key_of(node) > mine), None)
    before = next((node for node in reversed(run) if _import_key_of(node) <= mine), None)
    if before is not None and (after is None or _import_key_of(before).section == mine.section):
        gap = "" if _import_key_of(before).section == mine.section else "\n"
        code.insert(last_line(before), f"{gap}{line}", indent)
    elif after is not None:
        gap = "" if _import_key_of(after).section == mine.section else "\n"
        code.insert(first_line(after) - 1, f"{line}{gap}", indent)
