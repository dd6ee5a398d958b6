"""Finds values that are part of printed or returned text, within one function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hermes_sdk.check.source import Source

CREDENTIAL = r"[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET|PASSWORD)"
"""Matches the name of an environment variable that holds a credential."""

_FORMATTERS = frozenset({"dict", "json.dumps", "pprint.pformat", "repr", "str"})
_TEXT_METHODS = frozenset({"copy", "encode", "format", "items", "join", "strip", "values"})


def find_shown(source: Source, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Find the expressions whose values are visible in the text of a value, including the value itself.

    Follows formatting and variables with a single assignment. The results of other functions, such as a length or a
    masked key, do not reveal their arguments.

    Yields:
        The expression, and the part of `value` that contains it or the variable for it.
    """
    pending, resolved = [(value, value)], set[str]()
    while pending:
        node, part = pending.pop()
        yield node, part
        if isinstance(node, ast.Name):
            if node.id not in resolved:
                resolved.add(node.id)
                pending += [(assigned, part) for assigned in _find_assigned(source, node)]
        else:
            inside = part is node
            pending += [(each, each if inside else part) for each in _list_parts(source, node)]


def read_environment(source: Source, node: ast.expr) -> str | None:
    """Return the name of the credential variable that an expression reads, or ``os.environ`` for the environment."""
    if source.dotted_name(node) == "os.environ":
        return "os.environ"
    name: ast.expr | None = None
    if isinstance(node, ast.Subscript) and source.dotted_name(node.value) == "os.environ":
        name = node.slice
    elif isinstance(node, ast.Call) and source.dotted_name(node.func) in ("os.getenv", "os.environ.get"):
        name = node.args[0] if node.args else None
    found = name.value if isinstance(name, ast.Constant) else None
    return found if isinstance(found, str) and re.fullmatch(CREDENTIAL, found) else None


def _find_assigned(source: Source, name: ast.Name) -> list[ast.expr]:
    """Find the value of a variable with a single assignment in its function, or else in the module."""
    assigned = source.assignments(name.id)
    around = source.function(name)
    own = [assign.value for assign in assigned if source.function(assign) is around]
    values = own or [assign.value for assign in assigned if source.function(assign) is None]
    return values if len(values) == 1 else []


def _list_parts(source: Source, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.JoinedStr):
        return [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.Call):
        return _list_parts_of_call(source, node)
    if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.DictComp):
        return _list_parts_of_comprehension(node)
    return []


def _list_parts_of_call(source: Source, call: ast.Call) -> list[ast.expr]:
    given = [*call.args, *(word.value for word in call.keywords)]
    if source.dotted_name(call.func) in _FORMATTERS:
        return given
    if isinstance(call.func, ast.Attribute) and call.func.attr in _TEXT_METHODS:
        # Joining a mapping uses only its keys, which are not secret.
        joins = call.func.attr == "join"
        return [call.func.value, *(one for one in given if not (joins and source.dotted_name(one) == "os.environ"))]
    return []


def _list_parts_of_comprehension(node: ast.GeneratorExp | ast.ListComp | ast.DictComp) -> list[ast.expr]:
    """Return the iterated mapping if the comprehension has no condition and uses the value of each item."""
    first = node.generators[0]
    made = node.value if isinstance(node, ast.DictComp) else node.elt
    target = first.target.elts[-1] if isinstance(first.target, ast.Tuple) else None
    used = {each.id for each in ast.walk(made) if isinstance(each, ast.Name)}
    return [first.iter] if isinstance(target, ast.Name) and target.id in used and not first.ifs else []
